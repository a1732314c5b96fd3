// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "mpi/types.hpp"

/// Partitioned point-to-point communication (MPI-4.1, chapter 4). Each partition is a message of its own, which leaves
/// when the program says that it is ready: what a receiver sees of it, and when, is what early partitions are for.
namespace orrery::mpi {

/// How many partitioned sends, and receives, a communicator has had for a peer and a tag: the first of one side is
/// matched with the first of the other, and so on.
struct PartitionedPairs {
  using Count = std::map<std::pair<int, int>, std::uint32_t>;
  Count sends, receives;
};

void psend_init(const void* buffer, int partitions, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Info* info, Request*& request);
void precv_init(void* buffer, int partitions, std::int64_t count, Datatype& type, int source, int tag, Comm& comm,
                Info* info, Request*& request);
void pready(int partition, Request* request);
void pready_range(int first, int last, Request* request);
void pready_list(int length, const int* partitions, Request* request);
void parrived(Request* request, int partition, bool& flag);

}  // namespace orrery::mpi
