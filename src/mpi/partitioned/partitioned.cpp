// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned/partitioned.hpp"

#include <memory>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/partitioned/request.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {
namespace {

Partitioned checked_partitioned(const void* buffer, int partitions, std::int64_t count, Datatype& type, int peer,
                                int tag, Comm& comm) {
  if (partitions < 1) throw Error{err_arg, concat("partitions is ", partitions, ", but there must be one at least")};
  check_buffer(buffer, count, type);
  check_dest(peer, comm);
  check_send_tag(tag);
  return {.buffer = const_cast<void*>(buffer),
          .partitions = partitions,
          .count = count,
          .type = &type,
          .peer = peer == proc_null ? proc_null : comm.peer(peer),
          .peer_rank = peer,
          .tag = tag,
          .comm = &comm};
}

template <class Side>
[[nodiscard]] Side& side_of(Request* request) {
  auto* side = dynamic_cast<Side*>(request);
  if (side == nullptr) throw Error{err_request, "not the partitioned request that this call is for"};
  return *side;
}

}  // namespace

void psend_init(const void* buffer, int partitions, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Info* /*no hint changes anything*/, Request*& request) {
  Partitioned what = checked_partitioned(buffer, partitions, count, type, dest, tag, comm);
  what.pair = comm.partitioned.sends[{dest, tag}]++;
  request = std::make_unique<PartitionedSend>(what).release();
}

void precv_init(void* buffer, int partitions, std::int64_t count, Datatype& type, int source, int tag, Comm& comm,
                Info* /*no hint changes anything*/, Request*& request) {
  Partitioned what = checked_partitioned(buffer, partitions, count, type, source, tag, comm);
  what.pair = comm.partitioned.receives[{source, tag}]++;
  request = std::make_unique<PartitionedReceive>(what).release();
}

void pready(int partition, Request* request) {
  auto& send = side_of<PartitionedSend>(request);
  if (send.staging != nullptr) send.staging->fill();
  send.ready(partition);
}

void pready_range(int first, int last, Request* request) {
  for (int partition = first; partition <= last; ++partition) pready(partition, request);
}

void pready_list(int length, const int* partitions, Request* request) {
  if (length < 0) throw Error{err_arg, concat("length is ", length, ", but cannot be negative")};
  for (int i = 0; i < length; ++i) pready(partitions[i], request);
}

void parrived(Request* request, int partition, bool& flag) {
  // An inactive request of whatever kind is complete (MPI-4.1, section 4.2.2).
  flag = request == nullptr || side_of<PartitionedReceive>(request).arrived(partition);
  if (flag && request != nullptr) request->deliver();
}

}  // namespace orrery::mpi
