// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/sendrecv.hpp"

#include <memory>

#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

void begin(std::unique_ptr<Request> both, Request*& request) {
  both->start();
  request = both.release();
}

}  // namespace

SendrecvRequest::SendrecvRequest(const Receive& receive, Datatype& recv_type, const Sending& sending,
                                 Datatype& send_type, Comm& the_comm, std::vector<std::byte> packed)
    : RecvRequest(receive, the_comm, recv_type, false),
      sending_(sending),
      packed_(std::move(packed)),
      send_type_(send_type) {}

void SendrecvRequest::start() {
  begin();
  const bool receives = receive_.source != proc_null;
  const bool sends = sending_.dest != proc_null;
  if (!receives && !sends) return;
  Rank& rank = this_rank();
  id = rank.new_request_id();
  rank.push({.kind = op::Kind::Join,
             .peer = receives ? receive_.source : sending_.dest,
             .tag = receives ? receive_.tag : sending_.tag,
             .comm = sending_.comm,
             .request = id,
             .bytes = {(receives ? 1 : 0) + (sends ? 1 : 0)}});
  if (receives) post(op::Part);
  if (sends) token_ = send_message(rank, sending_, id, op::Part);
}

void SendrecvRequest::cancel() { throw Error{err_request, "a combined send and receive cannot be cancelled"}; }

Sending packed_send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                    std::vector<std::byte>& packed) {
  Sending sending = checked_send(buffer, count, type, dest, tag, comm, op::Mode::Standard);
  if (dest == proc_null) return sending;
  packed.resize(static_cast<std::size_t>(sending.data.bytes()));
  if (!packed.empty()) sending.data.pack_into(packed.data());
  sending.data = Data::of(packed);
  return sending;
}

void isendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type, int dest, int send_tag,
               void* recv_buffer, std::int64_t recv_count, Datatype& recv_type, int source, int recv_tag, Comm& comm,
               Request*& request) {
  const Receive receive = checked_receive(recv_buffer, recv_count, recv_type, source, recv_tag, comm);
  const Sending send = checked_send(send_buffer, send_count, send_type, dest, send_tag, comm, op::Mode::Standard);
  begin(std::make_unique<SendrecvRequest>(receive, recv_type, send, send_type, comm, std::vector<std::byte>()),
        request);
}

void isendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int dest, int send_tag, int source,
                       int recv_tag, Comm& comm, Request*& request) {
  const Receive receive = checked_receive(buffer, count, type, source, recv_tag, comm);
  std::vector<std::byte> packed;
  const Sending send = packed_send(buffer, count, type, dest, send_tag, comm, packed);
  begin(std::make_unique<SendrecvRequest>(receive, type, send, type, comm, std::move(packed)), request);
}

}  // namespace orrery::mpi
