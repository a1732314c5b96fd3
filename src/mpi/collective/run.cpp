// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/run.hpp"

#include <utility>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {

namespace {

/// A collective call under way.
class CollectiveRequest : public Request {
 public:
  explicit CollectiveRequest(Comm& on) { comm = &on; }

  void launch(std::shared_ptr<Exchange> exchange) {
    exchange_ = std::move(exchange);
    id = this_rank().new_request_id();
    exchange_->start(id);
    if (!exchange_->advance()) this_rank().add_task(exchange_);
  }

  bool arrived() override {
    if (!exchange_->done()) return false;
    if (const auto& error = exchange_->error()) {
      status.error = error->error_class;
      error_text = error->text;
    }
    return true;
  }

 private:
  std::shared_ptr<Exchange> exchange_;
};

/// A persistent one: each start is a new call.
class PersistentCollective final : public CollectiveRequest {
 public:
  explicit PersistentCollective(std::shared_ptr<Exchange> call)
      : CollectiveRequest(call->comm()), call_(std::move(call)) {
    persistent = true;
    active = false;
    call_->number_starts();
  }

  void start() override {
    status = {};
    launch(call_->next_start());
    active = true;
  }

 private:
  std::shared_ptr<Exchange> call_;
};

}  // namespace

void run(Exchange& exchange) {
  exchange.start(0);
  this_rank().wait_until([&exchange] { return exchange.advance(); }, [&exchange] { return exchange.missing(); });
  if (exchange.error()) throw *exchange.error();
}

Request* launch(std::shared_ptr<Exchange> exchange) {
  auto request = std::make_unique<CollectiveRequest>(exchange->comm());
  request->launch(std::move(exchange));
  return request.release();
}

Request* prepare(std::shared_ptr<Exchange> exchange) { return new PersistentCollective(std::move(exchange)); }

void check_count(std::int64_t count) {
  if (count < 0) throw Error{err_count, concat("the count is ", count)};
}

void check_root(int root_rank, const Comm& comm) {
  if (comm.is_inter() && (root_rank == root || root_rank == proc_null)) return;
  const int size = comm.peers().size();
  if (root_rank < 0 || root_rank >= size) {
    throw Error{err_root, concat("the root is ", root_rank, " in a ", comm.is_inter() ? "remote group" : "communicator",
                                 " of ", size)};
  }
}

bool is_root(int root_rank, const Comm& comm) { return root_rank == (comm.is_inter() ? root : comm.rank); }

bool faces_root(int root_rank, const Comm& comm) { return !comm.is_inter() || root_rank >= 0; }

void check_not_in_place(const void* buffer) {
  if (buffer == in_place) throw Error{err_buffer, "MPI_IN_PLACE is not allowed for this buffer"};
}

void check_in_place(const void* buffer, const Comm& comm) {
  if (comm.is_inter()) check_not_in_place(buffer);
}

void check_not_aliased(const Data& send, const Data& recv) {
  // From MPI_BOTTOM on, a null address, datatypes say where the data are.
  if (send.buffer != recv.buffer || send.buffer == nullptr || send.bytes() == 0 || recv.bytes() == 0) return;
  throw Error{err_buffer, "the send buffer and the receive buffer are the same memory, and MPI_IN_PLACE is not said"};
}

void check_intra(const Comm& comm) {
  if (comm.is_inter()) throw Error{err_comm, "this routine is not defined for inter-communicators"};
}

}  // namespace orrery::mpi
