// SPDX-License-Identifier: BSD-3-Clause
#include "execution.hpp"

#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace orrery::deploy {
namespace {

using op::Kind;
using op::Operation;
using op::Region;

/// Memory that calls leave to those after them: at most so much.
constexpr std::size_t kept_scratch = std::size_t{64} << 20;

class Execution {
 public:
  Execution(const Data& data, MPI_Comm comm, char* scratch) : data_(data), comm_(comm), scratch_(scratch) {}

  int perform(const Operation& operation) {
    switch (operation.kind) {
      case Kind::Isend: return send(operation);
      case Kind::Irecv: return receive(operation);
      case Kind::WaitAll: return wait_all(operation);
      case Kind::WaitAny: return wait_any(operation);
      case Kind::Copy: return copy(operation);
      case Kind::Reduce: return reduce(operation);
      default: give_up(concat("an algorithm does what none does, kind ", static_cast<int>(operation.kind)));
    }
  }

 private:
  const char* read(Region region, std::int64_t bytes) {
    return region.buffer == op::Buffer::Input ? data_.input + region.offset : write(region, bytes);
  }
  char* write(Region region, std::int64_t bytes) {
    switch (region.buffer) {
      case op::Buffer::Output: return data_.output + region.offset;
      case op::Buffer::Scratch: return scratch_ + region.offset;
      default: break;
    }
    // Where there is one already it may belong to a request that is pending.
    if (nothing_.empty() || nothing_.back().size() < static_cast<std::size_t>(bytes))
      nothing_.emplace_back(static_cast<std::size_t>(bytes));
    return nothing_.back().data();
  }
  MPI_Request* request(op::RequestId id) {
    if (id >= requests_.size()) requests_.resize(id + 1, MPI_REQUEST_NULL);
    return &requests_[id];
  }

  int send(const Operation& o) {
    const char* from = read(o.here, o.bytes.count);
    const int bytes = static_cast<int>(o.bytes.count);
    if (o.has(op::Blocking)) return PMPI_Send(from, bytes, MPI_BYTE, o.peer, o.tag, comm_);
    return PMPI_Isend(from, bytes, MPI_BYTE, o.peer, o.tag, comm_, request(o.request));
  }
  int receive(const Operation& o) {
    char* into = write(o.here, o.bytes.count);
    const int bytes = static_cast<int>(o.bytes.count);
    if (o.has(op::Blocking)) return PMPI_Recv(into, bytes, MPI_BYTE, o.peer, o.tag, comm_, MPI_STATUS_IGNORE);
    return PMPI_Irecv(into, bytes, MPI_BYTE, o.peer, o.tag, comm_, request(o.request));
  }
  int wait_all(const Operation& o) {
    waited_.clear();
    for (const op::RequestId id : o.requests) waited_.push_back(std::exchange(*request(id), MPI_REQUEST_NULL));
    return PMPI_Waitall(static_cast<int>(waited_.size()), waited_.data(), MPI_STATUSES_IGNORE);
  }
  int wait_any(const Operation& o) {
    waited_.clear();
    for (const op::RequestId id : o.requests) waited_.push_back(*request(id));
    int which = 0;
    const int result = PMPI_Waitany(static_cast<int>(waited_.size()), waited_.data(), &which, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS) return result;
    *request(o.requests[static_cast<std::size_t>(which)]) = MPI_REQUEST_NULL;
    if (o.position != nullptr) *o.position = static_cast<std::uint32_t>(which);
    return MPI_SUCCESS;
  }
  int copy(const Operation& o) {
    if (o.bytes.count > 0)
      std::memmove(write(o.here, o.bytes.count), read(o.there, o.bytes.count), static_cast<std::size_t>(o.bytes.count));
    return MPI_SUCCESS;
  }
  int reduce(const Operation& o) {
    return PMPI_Reduce_local(read(o.there, o.bytes.count), write(o.here, o.bytes.count),
                             static_cast<int>(o.bytes.count / data_.element), data_.type, data_.op);
  }

  Data data_;
  MPI_Comm comm_;
  char* scratch_;
  std::deque<std::vector<char>> nothing_;  ///< for messages whose content does not matter
  std::vector<MPI_Request> requests_, waited_;
};

}  // namespace

int execute(const Prepared& prepared, const Data& data, MPI_Comm comm) {
  static std::vector<char> scratch;
  const auto needed = static_cast<std::size_t>(prepared.scratch_bytes());
  if (scratch.size() < needed) scratch.resize(needed);
  Execution execution(data, comm, scratch.data());
  const int result = prepared.each([&](const Operation& operation) { return execution.perform(operation); });
  if (scratch.size() > kept_scratch) scratch = {};
  return result;
}

}  // namespace orrery::deploy
