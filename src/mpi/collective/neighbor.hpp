// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

/// Neighbourhood collectives (MPI-4.1, section 8.6) on the communicator's topology: blocking, immediate, persistent.
///
/// Arrays have an element for each neighbour, in the order in which the topology names them. Blocks of neighbours that
/// are MPI_PROC_NULL are left alone.
namespace orrery::mpi {

// The same to all neighbours.
void neighbor_allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                        std::int64_t recv_count, Datatype& recv_type, Comm& comm);
void ineighbor_allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                         std::int64_t recv_count, Datatype& recv_type, Comm& comm, Request*& request);
void neighbor_allgather_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                             std::int64_t recv_count, Datatype& recv_type, Comm& comm, Info* info, Request*& request);
void neighbor_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                         IntArray recv_counts, IntArray displacements, Datatype& recv_type, Comm& comm);
void ineighbor_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                          IntArray recv_counts, IntArray displacements, Datatype& recv_type, Comm& comm,
                          Request*& request);
void neighbor_allgatherv_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                              IntArray recv_counts, IntArray displacements, Datatype& recv_type, Comm& comm, Info* info,
                              Request*& request);

// To each neighbour a block of its own.
void neighbor_alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                       std::int64_t recv_count, Datatype& recv_type, Comm& comm);
void ineighbor_alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                        std::int64_t recv_count, Datatype& recv_type, Comm& comm, Request*& request);
void neighbor_alltoall_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv,
                            std::int64_t recv_count, Datatype& recv_type, Comm& comm, Info* info, Request*& request);
void neighbor_alltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                        void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm);
void ineighbor_alltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                         void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm,
                         Request*& request);
void neighbor_alltoallv_init(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                             void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type,
                             Comm& comm, Info* info, Request*& request);
void neighbor_alltoallw(const void* send, IntArray send_counts, IntArray send_displacements,
                        Datatype* const* send_types, void* recv, IntArray recv_counts, IntArray recv_displacements,
                        Datatype* const* recv_types, Comm& comm);
void ineighbor_alltoallw(const void* send, IntArray send_counts, IntArray send_displacements,
                         Datatype* const* send_types, void* recv, IntArray recv_counts, IntArray recv_displacements,
                         Datatype* const* recv_types, Comm& comm, Request*& request);
void neighbor_alltoallw_init(const void* send, IntArray send_counts, IntArray send_displacements,
                             Datatype* const* send_types, void* recv, IntArray recv_counts, IntArray recv_displacements,
                             Datatype* const* recv_types, Comm& comm, Info* info, Request*& request);

}  // namespace orrery::mpi
