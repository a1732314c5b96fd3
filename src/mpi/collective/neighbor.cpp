// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/neighbor.hpp"

#include "mpi/collective/neighbor_exchange.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

namespace {

using op::CollectiveKind;

void check_buffers(const void* send, const void* recv) {
  check_not_in_place(send);
  check_not_in_place(recv);
}

std::shared_ptr<Exchange> make_neighbor_allgather(const void* send, std::int64_t send_count, Datatype& send_type,
                                                  void* recv, std::int64_t recv_count, Datatype& recv_type,
                                                  Comm& comm) {
  const auto neighbors = neighbors_of(comm);
  check_buffers(send, recv);
  check_count(send_count);
  check_count(recv_count);
  return std::make_shared<NeighborExchange>(CollectiveKind::NeighborAllgather, true,
                                            Blocks(send, send_count, send_type), Blocks(recv, recv_count, recv_type),
                                            neighbors, comm);
}

std::shared_ptr<Exchange> make_neighbor_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type,
                                                   void* recv, IntArray recv_counts, IntArray displacements,
                                                   Datatype& recv_type, Comm& comm) {
  const auto neighbors = neighbors_of(comm);
  check_buffers(send, recv);
  check_count(send_count);
  const auto in = static_cast<int>(neighbors.sources.size());
  return std::make_shared<NeighborExchange>(CollectiveKind::NeighborAllgatherv, true,
                                            Blocks(send, send_count, send_type),
                                            Blocks(recv, in, recv_counts, displacements, recv_type), neighbors, comm);
}

std::shared_ptr<Exchange> make_neighbor_alltoall(const void* send, std::int64_t send_count, Datatype& send_type,
                                                 void* recv, std::int64_t recv_count, Datatype& recv_type, Comm& comm) {
  const auto neighbors = neighbors_of(comm);
  check_buffers(send, recv);
  check_count(send_count);
  check_count(recv_count);
  return std::make_shared<NeighborExchange>(CollectiveKind::NeighborAlltoall, false,
                                            Blocks(send, send_count, send_type), Blocks(recv, recv_count, recv_type),
                                            neighbors, comm);
}

/// `Types`: Datatype&, or one for each neighbour.
template <class Types>
std::shared_ptr<Exchange> make_varying_neighbor(CollectiveKind kind, const void* send, IntArray send_counts,
                                                IntArray send_displacements, Types& send_types, void* recv,
                                                IntArray recv_counts, IntArray recv_displacements, Types& recv_types,
                                                Comm& comm) {
  const auto neighbors = neighbors_of(comm);
  check_buffers(send, recv);
  const auto out = static_cast<int>(neighbors.destinations.size());
  const auto in = static_cast<int>(neighbors.sources.size());
  return std::make_shared<NeighborExchange>(kind, false, Blocks(send, out, send_counts, send_displacements, send_types),
                                            Blocks(recv, in, recv_counts, recv_displacements, recv_types), neighbors,
                                            comm);
}

}  // namespace

void neighbor_allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                        std::int64_t recv_count, Datatype& recv_type, Comm& comm) {
  run(*make_neighbor_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void ineighbor_allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                         std::int64_t recv_count, Datatype& recv_type, Comm& comm, Request*& request) {
  request = launch(make_neighbor_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void neighbor_allgather_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                             std::int64_t recv_count, Datatype& recv_type, Comm& comm, Info*, Request*& request) {
  request = prepare(make_neighbor_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void neighbor_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                         IntArray recv_counts, IntArray displacements, Datatype& recv_type, Comm& comm) {
  run(*make_neighbor_allgatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, comm));
}

void ineighbor_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                          IntArray recv_counts, IntArray displacements, Datatype& recv_type, Comm& comm,
                          Request*& request) {
  request =
      launch(make_neighbor_allgatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, comm));
}

void neighbor_allgatherv_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                              IntArray recv_counts, IntArray displacements, Datatype& recv_type, Comm& comm, Info*,
                              Request*& request) {
  request =
      prepare(make_neighbor_allgatherv(send, send_count, send_type, recv, recv_counts, displacements, recv_type, comm));
}

void neighbor_alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                       std::int64_t recv_count, Datatype& recv_type, Comm& comm) {
  run(*make_neighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void ineighbor_alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                        std::int64_t recv_count, Datatype& recv_type, Comm& comm, Request*& request) {
  request = launch(make_neighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void neighbor_alltoall_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                            std::int64_t recv_count, Datatype& recv_type, Comm& comm, Info*, Request*& request) {
  request = prepare(make_neighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

void neighbor_alltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                        void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type,
                        Comm& comm) {
  run(*make_varying_neighbor(CollectiveKind::NeighborAlltoallv, send, send_counts, send_displacements, send_type, recv,
                             recv_counts, recv_displacements, recv_type, comm));
}

void ineighbor_alltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                         void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm,
                         Request*& request) {
  request = launch(make_varying_neighbor(CollectiveKind::NeighborAlltoallv, send, send_counts, send_displacements,
                                         send_type, recv, recv_counts, recv_displacements, recv_type, comm));
}

void neighbor_alltoallv_init(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                             void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type,
                             Comm& comm, Info*, Request*& request) {
  request = prepare(make_varying_neighbor(CollectiveKind::NeighborAlltoallv, send, send_counts, send_displacements,
                                          send_type, recv, recv_counts, recv_displacements, recv_type, comm));
}

void neighbor_alltoallw(const void* send, IntArray send_counts, IntArray send_displacements,
                        Datatype* const* send_types, void* recv, IntArray recv_counts, IntArray recv_displacements,
                        Datatype* const* recv_types, Comm& comm) {
  run(*make_varying_neighbor(CollectiveKind::NeighborAlltoallw, send, send_counts, send_displacements, send_types, recv,
                             recv_counts, recv_displacements, recv_types, comm));
}

void ineighbor_alltoallw(const void* send, IntArray send_counts, IntArray send_displacements,
                         Datatype* const* send_types, void* recv, IntArray recv_counts, IntArray recv_displacements,
                         Datatype* const* recv_types, Comm& comm, Request*& request) {
  request = launch(make_varying_neighbor(CollectiveKind::NeighborAlltoallw, send, send_counts, send_displacements,
                                         send_types, recv, recv_counts, recv_displacements, recv_types, comm));
}

void neighbor_alltoallw_init(const void* send, IntArray send_counts, IntArray send_displacements,
                             Datatype* const* send_types, void* recv, IntArray recv_counts, IntArray recv_displacements,
                             Datatype* const* recv_types, Comm& comm, Info*, Request*& request) {
  request = prepare(make_varying_neighbor(CollectiveKind::NeighborAlltoallw, send, send_counts, send_displacements,
                                          send_types, recv, recv_counts, recv_displacements, recv_types, comm));
}

}  // namespace orrery::mpi
