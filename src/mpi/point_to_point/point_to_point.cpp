// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/point_to_point.hpp"

#include <array>
#include <memory>
#include <vector>

#include "mpi/point_to_point/receive.hpp"
#include "mpi/point_to_point/send.hpp"
#include "mpi/point_to_point/sendrecv.hpp"

namespace orrery::mpi {
namespace {

using op::Mode;

void blocking_send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Mode mode) {
  const Sending sending = checked_send(buffer, count, type, dest, tag, comm, mode);
  if (dest == proc_null) return;
  Rank& rank = this_rank();
  if (mode == Mode::Buffered) return send_buffered(rank, sending, comm);
  Rank::SendToken token = send_message(rank, sending, 0);
  if (!token.done()) rank.wait_until([&] { return token.done(); });
}

std::unique_ptr<Request> send_request(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag,
                                      Comm& comm, Mode mode, bool persistent) {
  const Sending sending = checked_send(buffer, count, type, dest, tag, comm, mode);
  return std::make_unique<SendRequest>(sending, comm, type, persistent);
}

std::unique_ptr<Request> recv_request(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm,
                                      bool persistent) {
  const Receive receive = checked_receive(buffer, count, type, source, tag, comm);
  return std::make_unique<RecvRequest>(receive, comm, type, persistent);
}

Request* started(std::unique_ptr<Request> request) {
  request->start();
  return request.release();
}

/// Starts the receive, then the send, and completes both.
void exchange_messages(std::unique_ptr<Request> receive, std::unique_ptr<Request> send, Status* status) {
  std::array<Request*, 2> both{started(std::move(receive)), nullptr};
  both[1] = started(std::move(send));
  std::array<Status, 2> statuses;
  auto error = complete_all(both, statuses.data());
  if (status != nullptr) *status = statuses[0];
  if (error) throw std::move(*error);
}

}  // namespace

void send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm) {
  blocking_send(buffer, count, type, dest, tag, comm, Mode::Standard);
}

void ssend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm) {
  blocking_send(buffer, count, type, dest, tag, comm, Mode::Synchronous);
}

void rsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm) {
  blocking_send(buffer, count, type, dest, tag, comm, Mode::Ready);
}

void bsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm) {
  blocking_send(buffer, count, type, dest, tag, comm, Mode::Buffered);
}

void recv(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm, Status* status) {
  Receive receive = checked_receive(buffer, count, type, source, tag, comm);
  if (source == proc_null) {
    if (status != nullptr) *status = status_of_proc_null();
    return;
  }
  Rank& rank = this_rank();
  MatchingQueues& queues = rank.matching();
  op::Operation operation = operation_of(receive);
  operation.flags = op::Blocking;
  if (queues.kernel_chooses(receive.comm, receive.source, receive.tag)) {
    operation.flags |= op::WantsMatch;
    queues.post_undecided(receive);
    const channel::ReplySlot& reply = rank.ask(operation);
    const std::int32_t from = reply.source;
    const std::uint32_t sequence = reply.sequence;
    rank.wait_until([&] { return queues.decide(receive, from, sequence); });
  } else {
    rank.push(operation);
    queues.post(receive);
    if (!receive.done) rank.wait_until([&] { return receive.done; });
    queues.forget(receive);
  }
  std::string error_text;
  const Status result = status_of(receive, comm, error_text);
  if (status != nullptr) *status = result;
  if (result.error != 0) throw Error{result.error, std::move(error_text)};
}

void sendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type, int dest, int send_tag,
              void* recv_buffer, std::int64_t recv_count, Datatype& recv_type, int source, int recv_tag, Comm& comm,
              Status* status) {
  auto receive = recv_request(recv_buffer, recv_count, recv_type, source, recv_tag, comm, false);
  auto send = send_request(send_buffer, send_count, send_type, dest, send_tag, comm, Mode::Standard, false);
  exchange_messages(std::move(receive), std::move(send), status);
}

void sendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int dest, int send_tag, int source,
                      int recv_tag, Comm& comm, Status* status) {
  auto receive = recv_request(buffer, count, type, source, recv_tag, comm, false);
  std::vector<std::byte> packed;
  const Sending sending = packed_send(buffer, count, type, dest, send_tag, comm, packed);
  exchange_messages(std::move(receive), std::make_unique<SendRequest>(sending, comm, type, false), status);
}

void isend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request) {
  request = started(send_request(buffer, count, type, dest, tag, comm, Mode::Standard, false));
}

void issend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request) {
  request = started(send_request(buffer, count, type, dest, tag, comm, Mode::Synchronous, false));
}

void irsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request) {
  request = started(send_request(buffer, count, type, dest, tag, comm, Mode::Ready, false));
}

void ibsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request) {
  request = started(send_request(buffer, count, type, dest, tag, comm, Mode::Buffered, false));
}

void irecv(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm, Request*& request) {
  request = started(recv_request(buffer, count, type, source, tag, comm, false));
}

void send_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
               Request*& request) {
  request = send_request(buffer, count, type, dest, tag, comm, Mode::Standard, true).release();
}

void ssend_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Request*& request) {
  request = send_request(buffer, count, type, dest, tag, comm, Mode::Synchronous, true).release();
}

void rsend_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Request*& request) {
  request = send_request(buffer, count, type, dest, tag, comm, Mode::Ready, true).release();
}

void bsend_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Request*& request) {
  request = send_request(buffer, count, type, dest, tag, comm, Mode::Buffered, true).release();
}

void recv_init(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm, Request*& request) {
  request = recv_request(buffer, count, type, source, tag, comm, true).release();
}

}  // namespace orrery::mpi
