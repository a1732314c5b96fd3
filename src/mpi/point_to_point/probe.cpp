// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/probe.hpp"

#include <memory>

#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/checks.hpp"
#include "mpi/point_to_point/receive.hpp"

namespace orrery::mpi {

struct MatchedMessage {
  Kept::Owner message;
  Comm* comm = nullptr;
};

namespace {

op::Operation probe_operation(op::Kind kind, int source, int tag, const Comm& comm) {
  check_source(source, comm);
  check_recv_tag(tag);
  return {.kind = kind, .peer = source >= 0 ? comm.peer(source) : source, .tag = tag, .comm = comm.id};
}

Status probed(const channel::ReplySlot& reply, const Comm& comm) {
  return {.source = comm.peers().rank_of(reply.source), .tag = reply.tag, .bytes = reply.bytes};
}

/// The kernel's answer to a probe, or null if it found nothing.
const channel::ReplySlot* found(op::Operation operation) {
  const channel::ReplySlot& reply = this_rank().ask(operation);
  return reply.flag == 0 ? nullptr : &reply;
}

/// The message that the kernel says was found. It may still be on its way between the processes, and is waited for: a
/// receive that is posted next must not take it.
MatchedMessage* matched(const channel::ReplySlot& reply, Comm& comm) {
  auto found = std::make_unique<MatchedMessage>();
  found->comm = &comm;
  Rank& rank = this_rank();
  rank.wait_until([&] {
    found->message = rank.matching().take(comm.id, reply.source, reply.sequence);
    return found->message != nullptr;
  });
  return found.release();
}

/// A receive of a message that a probe took: nothing is left to be matched.
class MatchedRecvRequest final : public RecvRequest {
 public:
  MatchedRecvRequest(const Receive& receive, MatchedMessage& matched, Datatype& type)
      : RecvRequest(receive, *matched.comm, type, false), message_(std::move(matched.message)) {}

  void start() override {
    active = true;
    Rank& rank = this_rank();
    id = rank.new_request_id();
    op::Operation operation = operation_of(receive_);
    operation.flags = op::Take;
    operation.element = message_->head.sequence;
    operation.request = id;
    rank.push(operation);
    rank.matching().deliver(receive_, message_->head, message_->payload());
    message_.reset();
  }

 private:
  Kept::Owner message_;
};

/// A receive of MPI_MESSAGE_NO_PROC.
struct RequestOfNoProc final : Request {
  RequestOfNoProc() { status = status_of_proc_null(); }
  [[nodiscard]] bool arrived() override { return true; }
};

}  // namespace

MatchedMessage* message_no_proc() {
  static MatchedMessage no_proc;
  return &no_proc;
}

void probe(int source, int tag, Comm& comm, Status* status) {
  bool flag = false;
  if (source == proc_null) return iprobe(source, tag, comm, flag, status);
  const auto& reply = this_rank().ask(probe_operation(op::Kind::Probe, source, tag, comm));
  if (status != nullptr) *status = probed(reply, comm);
}

void iprobe(int source, int tag, Comm& comm, bool& flag, Status* status) {
  const auto operation = probe_operation(op::Kind::Iprobe, source, tag, comm);
  if (source == proc_null) {
    flag = true;
    if (status != nullptr) *status = status_of_proc_null();
    return;
  }
  const auto* reply = found(operation);
  flag = reply != nullptr;
  if (flag && status != nullptr) *status = probed(*reply, comm);
}

void mprobe(int source, int tag, Comm& comm, MatchedMessage*& message, Status* status) {
  bool flag = false;
  if (source == proc_null) return improbe(source, tag, comm, flag, message, status);
  auto operation = probe_operation(op::Kind::Probe, source, tag, comm);
  operation.flags = op::Take;
  const auto& reply = this_rank().ask(operation);
  message = matched(reply, comm);
  if (status != nullptr) *status = probed(reply, comm);
}

void improbe(int source, int tag, Comm& comm, bool& flag, MatchedMessage*& message, Status* status) {
  auto operation = probe_operation(op::Kind::Iprobe, source, tag, comm);
  if (source == proc_null) {
    flag = true;
    message = message_no_proc();
    if (status != nullptr) *status = status_of_proc_null();
    return;
  }
  operation.flags = op::Take;
  const auto* reply = found(operation);
  flag = reply != nullptr;
  message = flag ? matched(*reply, comm) : nullptr;
  if (flag && status != nullptr) *status = probed(*reply, comm);
}

void mrecv(void* buffer, std::int64_t count, Datatype& type, MatchedMessage*& message, Status* status) {
  Request* request = nullptr;
  imrecv(buffer, count, type, message, request);
  wait(request, status);
}

void imrecv(void* buffer, std::int64_t count, Datatype& type, MatchedMessage*& message, Request*& request) {
  check_buffer(buffer, count, type);
  if (message == nullptr) throw Error{err_request, "the message is MPI_MESSAGE_NULL"};
  Receive receive;
  receive.into = Data::of(buffer, count, type);
  std::unique_ptr<Request> made;
  if (message == message_no_proc()) {
    made = std::make_unique<RequestOfNoProc>();
  } else {
    const std::unique_ptr<MatchedMessage> taken(message);
    receive.source = taken->message->head.source;
    receive.tag = taken->message->head.tag;
    receive.comm = taken->comm->id;
    made = std::make_unique<MatchedRecvRequest>(receive, *taken, type);
    made->start();
  }
  message = nullptr;
  request = made.release();
}

}  // namespace orrery::mpi
