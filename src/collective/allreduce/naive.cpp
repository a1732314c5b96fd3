// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as a reduction to rank 0 and a broadcast, each with the algorithm that MPICH
/// chooses for the immediate form; any size, any associative operation. Cost: the sum of both.
op::Script naive(Call call) {
  call.immediate = true;
  call.root = 0;
  call.kind = CollectiveKind::Reduce;
  const Choice reduction = mpich_5_0_choice(call);
  co_yield reduction.algorithm->stream(reduction.applied_to(call));
  call.kind = CollectiveKind::Bcast;
  const Choice broadcast = mpich_5_0_choice(call);
  co_yield broadcast.algorithm->stream(broadcast.applied_to(call));
}

}  // namespace orrery::collective::allreduce
