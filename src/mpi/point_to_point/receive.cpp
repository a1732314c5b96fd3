// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/receive.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

namespace {

/// Whether what was received ends inside of a basic element.
bool cuts_element(const Status& status, const Datatype& type) {
  std::int64_t elements = 0;
  get_elements(status, type, elements);
  return elements == undefined;
}

}  // namespace

Receive checked_receive(void* buffer, std::int64_t count, Datatype& type, int source, int tag, const Comm& comm) {
  check_buffer(buffer, count, type);
  check_source(source, comm);
  check_recv_tag(tag);
  Receive receive;
  receive.into = Data::of(buffer, count, type);
  receive.comm = comm.id;
  receive.source = source >= 0 ? comm.peer(source) : source;
  receive.tag = tag;
  return receive;
}

Status status_of(const Receive& receive, const Comm& comm, std::string& error_text) {
  Status status;
  status.source = comm.peers().rank_of(receive.matched_source);
  status.tag = receive.matched_tag;
  const std::int64_t room = receive.into.bytes();
  status.bytes = std::min(receive.bytes, room);
  if (receive.bytes < room && !receive.into.contiguous() && cuts_element(status, *receive.into.type)) {
    status.error = err_type;
    error_text = concat("a message of ", receive.bytes, " bytes from rank ", status.source,
                        " is not a whole number of the receive's elements: its datatypes do not match");
  }
  if (receive.bytes > room) {
    status.error = err_truncate;
    error_text = concat("a message of ", receive.bytes, " bytes from rank ", status.source, " with tag ", status.tag,
                        " does not fit into a buffer of ", room, " bytes");
  }
  return status;
}

Status status_of_proc_null() { return {.source = proc_null, .tag = any_tag}; }

op::Operation operation_of(const Receive& receive) {
  return {.kind = op::Kind::Irecv,
          .peer = receive.source,
          .tag = receive.tag,
          .comm = receive.comm,
          .bytes = {receive.into.bytes()}};
}

RecvRequest::RecvRequest(const Receive& receive, Comm& the_comm, Datatype& type, bool is_persistent)
    : receive_(receive), comm_(the_comm), type_(type) {
  comm = &the_comm;
  persistent = is_persistent;
  active = false;
}

RecvRequest::~RecvRequest() { retire(); }

void RecvRequest::retire() {
  if (receive_.list != nullptr) this_rank().matching().forget(receive_);
}

bool RecvRequest::arrived() {
  if (status.cancelled) return true;
  if (receive_.source == proc_null) {
    status = status_of_proc_null();
    return true;
  }
  if (!receive_.done) return false;
  status = status_of(receive_, *comm, error_text);
  return true;
}

void RecvRequest::begin() {
  active = true;
  status = {};
  error_text.clear();
}

void RecvRequest::start() {
  begin();
  if (receive_.source == proc_null) return;
  id = this_rank().new_request_id();
  post(0);
}

void RecvRequest::post(std::uint8_t flags) {
  Rank& rank = this_rank();
  MatchingQueues& queues = rank.matching();
  receive_.done = false;
  undecided_ = queues.kernel_chooses(receive_.comm, receive_.source, receive_.tag);
  op::Operation operation = operation_of(receive_);
  operation.request = id;
  operation.flags = flags;
  if (undecided_) operation.flags |= op::WantsMatch;
  rank.push(operation);
  if (undecided_) {
    queues.post_undecided(receive_);
  } else {
    queues.post(receive_);
  }
}

void RecvRequest::decide() {
  Rank& rank = this_rank();
  const channel::ReplySlot& reply = rank.ask({.kind = op::Kind::Match, .request = id});
  const std::int32_t source = reply.source;
  const std::uint32_t sequence = reply.sequence;
  rank.wait_until([&] { return rank.matching().decide(receive_, source, sequence); });
  undecided_ = false;
}

void RecvRequest::cancel() {
  if (id == 0) return;
  Rank& rank = this_rank();
  const op::RequestId ids[] = {id};
  if (rank.ask({.kind = op::Kind::Cancel, .requests = ids}).flag == 0) return;
  rank.matching().withdraw(receive_);
  undecided_ = false;
  status = {};
  status.cancelled = true;
}

}  // namespace orrery::mpi
