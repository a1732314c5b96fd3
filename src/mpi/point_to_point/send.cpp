// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/send.hpp"

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/buffered.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

Sending checked_send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, const Comm& comm,
                     op::Mode mode) {
  check_buffer(buffer, count, type);
  check_dest(dest, comm);
  check_send_tag(tag);
  Sending sending{.data = Data::of(buffer, count, type), .tag = tag, .comm = comm.id, .mode = mode};
  if (dest != proc_null) sending.dest = comm.peer(dest);
  return sending;
}

void send_buffered(Rank& rank, const Sending& sending, Comm& comm) {
  AttachedBuffer& buffer = buffer_of(comm);
  const std::int64_t bytes = sending.data.bytes();
  const op::RequestId id = buffer.take(bytes);
  // Its bytes are copied: there is nothing to wait for.
  (void)send_message(rank, sending, id);
  buffer.sent(id, bytes);
}

Rank::SendToken send_message(Rank& rank, const Sending& sending, op::RequestId id, std::uint8_t flags) {
  rank.push({.kind = op::Kind::Isend,
             .mode = sending.mode,
             .flags = static_cast<std::uint8_t>(flags | (id == 0 ? op::Blocking : 0)),
             .peer = sending.dest,
             .tag = sending.tag,
             .comm = sending.comm,
             .request = id,
             .bytes = {sending.data.bytes()}});
  channel::Message head{};
  head.source = rank.world_rank();
  head.comm = sending.comm;
  head.tag = sending.tag;
  head.sequence = rank.next_send_sequence();
  const Reuse reuse = sending.mode == op::Mode::Buffered ? Reuse::AtOnce : Reuse::Later;
  return rank.payloads().post(sending.dest, head, sending.data, reuse);
}

SendRequest::SendRequest(const Sending& sending, Comm& the_comm, Datatype& type, bool is_persistent)
    : sending_(sending), comm_(the_comm), type_(type) {
  comm = &the_comm;
  persistent = is_persistent;
  active = false;
}

bool SendRequest::arrived() {
  if (token_.done()) return true;
  // One that has left the run fetches nothing.
  const auto& receiver = this_rank().memory().block(sending_.dest);
  return cancelled_ &&
         receiver.phase.load(std::memory_order_acquire) == static_cast<std::uint32_t>(channel::RankPhase::Finalized);
}

void SendRequest::cancel() {
  if (id == 0) return;
  const op::RequestId ids[] = {id};
  this_rank().ask({.kind = op::Kind::Cancel, .requests = ids});
  cancelled_ = true;
}

void SendRequest::start() {
  Rank& rank = this_rank();
  cancelled_ = false;
  if (sending_.dest != proc_null && sending_.mode == op::Mode::Buffered) send_buffered(rank, sending_, *comm_);
  active = true;
  if (sending_.dest == proc_null || sending_.mode == op::Mode::Buffered) return;
  id = rank.new_request_id();
  token_ = send_message(rank, sending_, id);
}

}  // namespace orrery::mpi
