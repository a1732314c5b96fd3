// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/buffered.hpp"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {
namespace {

/// What MPI_Buffer_iflush gives: complete once the kernel says so.
struct FlushRequest final : Request {
  [[nodiscard]] bool arrived() override { return true; }
};

std::vector<op::RequestId> ids_of(const auto& messages) {
  std::vector<op::RequestId> ids;
  for (const auto& message : messages) ids.push_back(message.id);
  return ids;
}

}  // namespace

void AttachedBuffer::attach(void* buffer, std::int64_t size) {
  if (attached_) throw Error{err_buffer, "a buffer is attached already"};
  if (size < 0) throw Error{err_arg, concat("size is ", size, ", but cannot be negative")};
  const bool automatic = buffer == buffer_automatic;
  address_ = buffer;
  size_ = automatic ? std::numeric_limits<std::int64_t>::max() : size;
  attached_ = true;
}

void AttachedBuffer::detach(void* buffer_address, std::int64_t& size) {
  flush();
  size = address_ == buffer_automatic ? 0 : size_;
  *static_cast<void**>(buffer_address) = std::exchange(address_, nullptr);
  size_ = 0;
  attached_ = false;
}

/// The messages that may not have left, for the caller to deal with: while it waits, other threads send more.
std::vector<AttachedBuffer::Message> AttachedBuffer::hand_over() {
  if (reaping_) this_rank().wait_until([this] { return !reaping_; });
  return std::exchange(under_way_, {});
}

/// The kernel is to forget these: their numbers and their room are free.
void AttachedBuffer::forget(const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    this_rank().free_request_id(message.id);
    taken_ -= message.bytes;
  }
}

void AttachedBuffer::flush() {
  const auto messages = hand_over();
  if (messages.empty()) return;
  const auto ids = ids_of(messages);
  this_rank().push({.kind = op::Kind::WaitAll, .requests = ids});
  // What the program does next is later in simulated time; here there is nothing to wait for.
  forget(messages);
}

void AttachedBuffer::iflush(Request*& request) {
  auto flushed = std::make_unique<FlushRequest>();
  if (const auto messages = hand_over(); !messages.empty()) {
    const auto ids = ids_of(messages);
    flushed->id = this_rank().new_request_id();
    this_rank().push({.kind = op::Kind::Join, .peer = op::any_source, .request = flushed->id, .requests = ids});
    forget(messages);
  }
  request = flushed.release();
}

bool AttachedBuffer::fits(std::int64_t bytes) const { return bytes <= size_ - taken_; }

op::RequestId AttachedBuffer::take(std::int64_t bytes) {
  if (!attached_) throw Error{err_buffer, "no buffer is attached: call MPI_Buffer_attach before a buffered send"};
  if (!fits(bytes) || under_way_.size() >= look_at_) reap();
  if (!fits(bytes)) {
    throw Error{err_buffer, concat("a message of ", bytes, " bytes does not fit into the attached buffer of ", size_,
                                   " bytes, of which ", taken_, " are taken")};
  }
  taken_ += bytes;
  return this_rank().new_request_id();
}

void AttachedBuffer::sent(op::RequestId id, std::int64_t bytes) { under_way_.push_back({id, bytes}); }

/// Gives back the room of messages that have left.
void AttachedBuffer::reap() {
  auto messages = hand_over();
  if (messages.empty()) return;
  reaping_ = true;
  const auto ids = ids_of(messages);
  this_rank().ask({.kind = op::Kind::TestSome, .requests = ids});
  std::vector<Message> left;
  for (const std::uint32_t i : this_rank().completed()) left.push_back(std::exchange(messages[i], {}));
  forget(left);
  std::erase_if(messages, [](const Message& message) { return message.id == 0; });
  under_way_.insert(under_way_.begin(), messages.begin(), messages.end());
  look_at_ = 64 + 2 * under_way_.size();
  reaping_ = false;
}

AttachedBuffer& buffer_of(Comm& comm) {
  if (comm.buffer.attached()) return comm.buffer;
  const auto& of_session = comm.session_buffer;
  return of_session != nullptr && of_session->attached() ? *of_session : this_rank().attached_buffer();
}

void buffer_attach(void* buffer, std::int64_t size) { this_rank().attached_buffer().attach(buffer, size); }

void buffer_detach(void* buffer_address, std::int64_t& size) {
  this_rank().attached_buffer().detach(buffer_address, size);
}

void buffer_flush() { this_rank().attached_buffer().flush(); }

void buffer_iflush(Request*& request) { this_rank().attached_buffer().iflush(request); }

void comm_attach_buffer(Comm& comm, void* buffer, std::int64_t size) { comm.buffer.attach(buffer, size); }

void comm_detach_buffer(Comm& comm, void* buffer_address, std::int64_t& size) {
  comm.buffer.detach(buffer_address, size);
}

void comm_flush_buffer(Comm& comm) { comm.buffer.flush(); }

void comm_iflush_buffer(Comm& comm, Request*& request) { comm.buffer.iflush(request); }

}  // namespace orrery::mpi
