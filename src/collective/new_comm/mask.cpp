// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/parts/said.hpp"

namespace orrery::collective::new_comm {

/// Stream of one rank in the making of a communicator as in MPICH: all colours and keys are gathered, where there are
/// some; then an allreduce finds a number that is free everywhere in a mask of 2048 numbers and a word beside it.
/// Cost: that of an allgather and of an allreduce of 260 bytes.
op::Script mask(Call call) {
  constexpr Bytes mask_bytes{2048 / 8 + 4};
  if (call.bytes.count > 0) co_yield said(call, CollectiveKind::Allgather, call.bytes, mpich_4_0_choice);
  co_yield said(call, CollectiveKind::Allreduce, mask_bytes, mpich_4_0_choice);
}

}  // namespace orrery::collective::new_comm
