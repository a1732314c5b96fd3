// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

/// Collective communication (MPI-4.1, chapter 6): blocking, immediate, and persistent (`_init`).
///
/// Each call is one operation for the kernel, which expands the algorithm that the selector chooses, and one `Exchange`
/// for the data, which is the same whatever the algorithm. Results do not depend on the algorithm either: reductions
/// combine in the order of the ranks, always.
///
/// Arguments that the standard says do not matter (the receive arguments of a gather elsewhere than at the root, the
/// send arguments with MPI_IN_PLACE) are not looked at; for a datatype among them pass any.
namespace orrery::mpi {

// Synchronisation.
void barrier(Comm& comm);
void ibarrier(Comm& comm, Request*& request);
void barrier_init(Comm& comm, Info* info, Request*& request);

// Broadcast.
void bcast(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm);
void ibcast(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm, Request*& request);
void bcast_init(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm, Info* info, Request*& request);

// Reduction to the root.
void reduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm);
void ireduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm,
             Request*& request);
void reduce_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, int root, Comm& comm,
                 Info* info, Request*& request);

// Reduction to all.
void allreduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm);
void iallreduce(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm,
                Request*& request);
void allreduce_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Info* info,
                    Request*& request);

// Reduction, each gets a block.
void reduce_scatter(const void* send, void* recv, IntArray counts, Datatype& type, Op& op, Comm& comm);
void ireduce_scatter(const void* send, void* recv, IntArray counts, Datatype& type, Op& op, Comm& comm,
                     Request*& request);
void reduce_scatter_init(const void* send, void* recv, IntArray counts, Datatype& type, Op& op, Comm& comm, Info* info,
                         Request*& request);
void reduce_scatter_block(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm);
void ireduce_scatter_block(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm,
                           Request*& request);
void reduce_scatter_block_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm,
                               Info* info, Request*& request);

// Prefix reductions.
void scan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm);
void iscan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Request*& request);
void scan_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Info* info,
               Request*& request);
void exscan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm);
void iexscan(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Request*& request);
void exscan_init(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm, Info* info,
                 Request*& request);

// From all to the root.
void gather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
            Datatype& recv_type, int root, Comm& comm);
void igather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
             Datatype& recv_type, int root, Comm& comm, Request*& request);
void gather_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                 Datatype& recv_type, int root, Comm& comm, Info* info, Request*& request);
void gatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
             IntArray displacements, Datatype& recv_type, int root, Comm& comm);
void igatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
              IntArray displacements, Datatype& recv_type, int root, Comm& comm, Request*& request);
void gatherv_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                  IntArray displacements, Datatype& recv_type, int root, Comm& comm, Info* info, Request*& request);

// From the root to all.
void scatter(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
             Datatype& recv_type, int root, Comm& comm);
void iscatter(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
              Datatype& recv_type, int root, Comm& comm, Request*& request);
void scatter_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                  Datatype& recv_type, int root, Comm& comm, Info* info, Request*& request);
void scatterv(const void* send, IntArray send_counts, IntArray displacements, Datatype& send_type, void* recv,
              std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm);
void iscatterv(const void* send, IntArray send_counts, IntArray displacements, Datatype& send_type, void* recv,
               std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm, Request*& request);
void scatterv_init(const void* send, IntArray send_counts, IntArray displacements, Datatype& send_type, void* recv,
                   std::int64_t recv_count, Datatype& recv_type, int root, Comm& comm, Info* info, Request*& request);

// From all to all.
void allgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
               Datatype& recv_type, Comm& comm);
void iallgather(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                Datatype& recv_type, Comm& comm, Request*& request);
void allgather_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                    Datatype& recv_type, Comm& comm, Info* info, Request*& request);
void allgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                IntArray displacements, Datatype& recv_type, Comm& comm);
void iallgatherv(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                 IntArray displacements, Datatype& recv_type, Comm& comm, Request*& request);
void allgatherv_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, IntArray recv_counts,
                     IntArray displacements, Datatype& recv_type, Comm& comm, Info* info, Request*& request);

// From each to each.
void alltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
              Datatype& recv_type, Comm& comm);
void ialltoall(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
               Datatype& recv_type, Comm& comm, Request*& request);
void alltoall_init(const void* send, std::int64_t send_count, Datatype& send_type, void* recv, std::int64_t recv_count,
                   Datatype& recv_type, Comm& comm, Info* info, Request*& request);
void alltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type, void* recv,
               IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm);
void ialltoallv(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type, void* recv,
                IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm, Request*& request);
void alltoallv_init(const void* send, IntArray send_counts, IntArray send_displacements, Datatype& send_type,
                    void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype& recv_type, Comm& comm,
                    Info* info, Request*& request);
void alltoallw(const void* send, IntArray send_counts, IntArray send_displacements, Datatype* const* send_types,
               void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype* const* recv_types, Comm& comm);
void ialltoallw(const void* send, IntArray send_counts, IntArray send_displacements, Datatype* const* send_types,
                void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype* const* recv_types, Comm& comm,
                Request*& request);
void alltoallw_init(const void* send, IntArray send_counts, IntArray send_displacements, Datatype* const* send_types,
                    void* recv, IntArray recv_counts, IntArray recv_displacements, Datatype* const* recv_types,
                    Comm& comm, Info* info, Request*& request);

}  // namespace orrery::mpi
