// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/openmpi_rules.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather as a gather to rank 0 and a broadcast, each with the algorithm that Open MPI
/// chooses for it; any size. Cost: the sum of both.
op::Script gather_bcast(Call call) {
  call.root = 0;
  call.kind = CollectiveKind::Gather;
  co_yield openmpi_stream(call);
  call.kind = CollectiveKind::Bcast;
  call.bytes = call.bytes * call.size;
  co_yield openmpi_stream(call);
}

}  // namespace orrery::collective::allgather
