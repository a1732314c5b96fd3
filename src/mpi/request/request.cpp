// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request/request.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {
namespace {

bool is_active(const Request* request) { return request != nullptr && request->active; }

/// The active requests of a list, as a call deals with them.
struct Active {
  std::vector<op::RequestId> ids;  ///< those the kernel decides about
  std::vector<int> positions;      ///< of these in the list
  std::vector<int> arrived;        ///< positions of those that are complete without the kernel
  bool pending = false;            ///< there are others, which the kernel does not know and which are not complete

  [[nodiscard]] bool none() const { return ids.empty() && arrived.empty() && !pending; }
};

Active look_at(std::span<Request*> requests) {
  Active active;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request* request = requests[i];
    if (!is_active(request)) continue;
    if (request->id != 0) {
      active.ids.push_back(request->id);
      active.positions.push_back(static_cast<int>(i));
    } else if (request->arrived()) {
      active.arrived.push_back(static_cast<int>(i));
    } else {
      active.pending = true;
    }
  }
  return active;
}

/// The kernel says that it is complete: waits for its bytes.
void settle(Request& request) {
  if (request.undecided()) request.decide();
  if (!request.arrived()) this_rank().wait_until([&] { return request.arrived(); });
}

/// The status of a complete request, which is then gone, or inactive if it is persistent.
std::optional<Error> finish(Request*& request, Status* status) {
  std::optional<Error> error;
  request->deliver();
  request->query();
  request->retire();
  if (request->status.error != success) {
    // A communicator that the program has freed lives only as long as its requests.
    Comm* comm = request->comm != nullptr && request->comm->references > 1 ? request->comm : nullptr;
    error = Error{request->status.error, std::move(request->error_text), comm};
  }
  if (status != nullptr) *status = request->status;
  if (request->id != 0) this_rank().free_request_id(std::exchange(request->id, 0));
  request->active = false;
  if (!request->persistent) {
    delete request;
    request = nullptr;
  }
  return error;
}

/// Finishes one request alone.
/// @throws Error its own
void finish_one(Request*& request, Status* status) {
  settle(*request);
  if (auto error = finish(request, status)) throw std::move(*error);
}

/// Finishes several; statuses and indices are filled from their start.
void finish_some(std::span<Request*> requests, const std::vector<int>& positions, int* indices, Status* statuses) {
  bool failed = false;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    Request*& request = requests[static_cast<std::size_t>(positions[i])];
    settle(*request);
    indices[i] = positions[i];
    failed |= finish(request, statuses == nullptr ? nullptr : statuses + i).has_value();
  }
  if (failed) throw Error{err_in_status, "a completed operation failed: its status says why"};
}

/// Receives that were freed while the kernel had not said what they took. It forgets a request that is freed, so these
/// are not; whenever the program completes something else, they are looked after.
void settle_orphans() {
  Rank& rank = this_rank();
  if (rank.orphans().empty()) return;
  // Another thread that comes here while this one waits finds none.
  auto orphans = std::exchange(rank.orphans(), {});
  std::erase_if(orphans, [&](std::unique_ptr<Request>& orphan) {
    const op::RequestId ids[] = {orphan->id};
    if (rank.ask({.kind = op::Kind::TestAll, .requests = ids}).flag == 0) return false;
    settle(*orphan);
    orphan->deliver();
    rank.free_request_id(orphan->id);
    return true;
  });
  std::ranges::move(orphans, std::back_inserter(rank.orphans()));
}

/// Positions in the list that the last answer named.
std::vector<int> answered(const Active& active) {
  std::vector<int> positions;
  for (const std::uint32_t i : this_rank().completed()) positions.push_back(active.positions[i]);
  return positions;
}

void empty_statuses(Status* statuses, std::size_t count) {
  if (statuses != nullptr) std::fill_n(statuses, count, Status{});
}

/// A freed request: its object lives until its bytes have moved.
struct Abandoned final : Task {
  explicit Abandoned(Request* freed) : request(freed) {}
  bool advance() override {
    if (!request->arrived()) return false;
    request->deliver();
    return true;
  }
  std::unique_ptr<Request> request;
};

[[noreturn]] void not_a_request(const char* what) { throw Error{err_request, what}; }

/// Those that are complete now or, if `block`, once there are some.
std::vector<int> some(std::span<Request*> requests, const Active& active, bool block) {
  std::vector<int> positions = active.arrived;
  if (!active.ids.empty()) {
    const bool waits = block && positions.empty();
    this_rank().ask({.kind = waits ? op::Kind::WaitSome : op::Kind::TestSome, .requests = active.ids});
    const std::vector<int> found = answered(active);
    positions.insert(positions.end(), found.begin(), found.end());
    std::sort(positions.begin(), positions.end());
  } else if (block && positions.empty()) {
    this_rank().wait_until([&] { return !(positions = look_at(requests).arrived).empty(); });
  }
  return positions;
}

}  // namespace

void Request::abandon(std::unique_ptr<Request> self) {
  this_rank().add_task(std::make_shared<Abandoned>(self.release()));
}

void Request::cancel() { not_a_request("only point-to-point operations can be cancelled"); }

std::optional<Error> complete_all(std::span<Request*> requests, Status* statuses) {
  settle_orphans();
  const Active active = look_at(requests);
  if (!active.ids.empty()) this_rank().push({.kind = op::Kind::WaitAll, .requests = active.ids});
  for (Request* request : requests) {
    if (is_active(request)) settle(*request);
  }
  std::optional<Error> first;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Status* status = statuses == nullptr ? nullptr : statuses + i;
    if (!is_active(requests[i])) {
      empty_statuses(status, 1);
    } else if (auto error = finish(requests[i], status); error && !first) {
      first = std::move(error);
    }
  }
  return first;
}

void wait(Request*& request, Status* status) {
  if (auto error = complete_all({&request, 1}, status)) throw std::move(*error);
}

void waitall(std::span<Request*> requests, Status* statuses) {
  if (auto error = complete_all(requests, statuses)) {
    throw Error{err_in_status, concat("an operation failed: ", error->text), error->comm};
  }
}

void waitany(std::span<Request*> requests, int& index, Status* status) {
  settle_orphans();
  const Active active = look_at(requests);
  if (active.none()) {
    index = undefined;
    return empty_statuses(status, 1);
  }
  if (!active.arrived.empty()) {
    index = active.arrived.front();
  } else if (!active.ids.empty()) {
    this_rank().ask({.kind = op::Kind::WaitAny, .requests = active.ids});
    index = answered(active).front();
  } else {
    index = some(requests, active, true).front();
  }
  finish_one(requests[static_cast<std::size_t>(index)], status);
}

void waitsome(std::span<Request*> requests, int& out_count, int* indices, Status* statuses) {
  settle_orphans();
  const Active active = look_at(requests);
  out_count = undefined;
  if (active.none()) return;
  const std::vector<int> positions = some(requests, active, true);
  out_count = static_cast<int>(positions.size());
  finish_some(requests, positions, indices, statuses);
}

void test(Request*& request, bool& flag, Status* status) {
  int index = 0;
  testany({&request, 1}, index, flag, status);
}

void testall(std::span<Request*> requests, bool& flag, Status* statuses) {
  this_rank().progress();
  settle_orphans();
  const Active active = look_at(requests);
  flag = !active.pending;
  if (flag && !active.ids.empty()) {
    flag = this_rank().ask({.kind = op::Kind::TestAll, .requests = active.ids}).flag != 0;
  }
  if (!flag) return;
  bool failed = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Status* status = statuses == nullptr ? nullptr : statuses + i;
    if (!is_active(requests[i])) {
      empty_statuses(status, 1);
      continue;
    }
    settle(*requests[i]);
    failed |= finish(requests[i], status).has_value();
  }
  if (failed) throw Error{err_in_status, "a completed operation failed: its status says why"};
}

void testany(std::span<Request*> requests, int& index, bool& flag, Status* status) {
  this_rank().progress();
  settle_orphans();
  const Active active = look_at(requests);
  index = undefined;
  flag = active.none();
  if (flag) return empty_statuses(status, 1);
  if (!active.arrived.empty()) {
    index = active.arrived.front();
  } else if (!active.ids.empty() && this_rank().ask({.kind = op::Kind::TestAny, .requests = active.ids}).flag != 0) {
    index = answered(active).front();
  }
  flag = index != undefined;
  if (flag) finish_one(requests[static_cast<std::size_t>(index)], status);
}

void testsome(std::span<Request*> requests, int& out_count, int* indices, Status* statuses) {
  this_rank().progress();
  settle_orphans();
  const Active active = look_at(requests);
  out_count = undefined;
  if (active.none()) return;
  const std::vector<int> positions = some(requests, active, false);
  out_count = static_cast<int>(positions.size());
  finish_some(requests, positions, indices, statuses);
}

void request_free(Request*& request) {
  if (request == nullptr) not_a_request("MPI_REQUEST_NULL cannot be freed");
  Rank& rank = this_rank();
  std::unique_ptr<Request> freed(std::exchange(request, nullptr));
  if (!freed->active) return;
  if (freed->undecided()) return rank.orphans().push_back(std::move(freed));
  if (freed->id != 0) {
    const op::RequestId ids[] = {freed->id};
    rank.push({.kind = op::Kind::RequestFree, .requests = ids});
    rank.free_request_id(std::exchange(freed->id, 0));
  }
  if (freed->arrived()) {
    freed->deliver();
    return freed->retire();
  }
  Request& last = *freed;
  last.abandon(std::move(freed));
}

void request_get_status(Request* request, bool& flag, Status* status) {
  flag = true;
  if (!is_active(request)) return empty_statuses(status, 1);
  Rank& rank = this_rank();
  if (request->id != 0) {
    const op::RequestId ids[] = {request->id};
    flag = rank.ask({.kind = op::Kind::TestAll, .flags = op::Peek, .requests = ids}).flag != 0;
    if (flag && request->undecided()) {
      // What it took can only be asked once: for the kernel it is then over, for the program it is complete.
      rank.ask({.kind = op::Kind::TestAll, .requests = ids});
      request->decide();
      rank.free_request_id(std::exchange(request->id, 0));
    }
    if (flag) settle(*request);
  } else {
    rank.progress();
    flag = request->arrived();
  }
  if (!flag) return;
  request->deliver();
  request->query();
  if (status != nullptr) *status = request->status;
}

void cancel(Request*& request) {
  if (!is_active(request)) not_a_request("the request to cancel is not active");
  request->cancel();
}

void start(Request*& request) {
  if (request == nullptr) not_a_request("MPI_REQUEST_NULL cannot be started");
  if (!request->persistent) not_a_request("the request to start is not persistent");
  if (request->active) not_a_request("the request to start is active already");
  if (request->staging != nullptr) request->staging->fill();
  request->start();
}

void startall(std::span<Request*> requests) {
  for (Request*& request : requests) start(request);
}

void test_cancelled(const Status& status, bool& flag) { flag = status.cancelled; }

void status_set_cancelled(Status& status, bool flag) { status.cancelled = flag; }

}  // namespace orrery::mpi
