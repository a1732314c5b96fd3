// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/openmpi_rules.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as a reduction to rank 0 and a broadcast, each with the algorithm that Open MPI
/// chooses for it; any size, any associative operation. Cost: the sum of both.
op::Script nonoverlapping(Call call) {
  call.root = 0;
  call.kind = CollectiveKind::Reduce;
  co_yield openmpi_stream(call);
  call.kind = CollectiveKind::Bcast;
  co_yield openmpi_stream(call);
}

}  // namespace orrery::collective::allreduce
