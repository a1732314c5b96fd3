// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/said.hpp"

namespace orrery::collective::new_comm {

/// Stream of one rank in the making of a communicator as in Open MPI: all colours and keys are gathered, where there
/// are some; then non-blocking allreduces say which number is the lowest that all could take, whether it is free
/// everywhere, and that all know of the communicator. More rounds follow where the number is not free, which is rare.
/// Cost: that of an allgather and of three allreduces of 4 bytes.
op::Script three_rounds(Call call) {
  constexpr Bytes number_bytes{4};
  if (call.bytes.count > 0) co_yield said(call, CollectiveKind::Allgather, call.bytes, openmpi_choice);
  for (int round = 0; round < 3; ++round)
    co_yield said(call, CollectiveKind::Allreduce, number_bytes, openmpi_choice, true);
}

}  // namespace orrery::collective::new_comm
