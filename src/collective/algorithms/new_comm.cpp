// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/default_rules.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/openmpi_rules.hpp"
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

namespace {

constexpr Bytes number_bytes{4};

}  // namespace

/// Stream of one rank in the making of a communicator, as cheap as it can be: all colours and keys are gathered, where
/// there are some, and one number is agreed upon.
/// Cost: that of an allgather and of an allreduce of 4 bytes.
op::Script number(Call call) {
  if (call.bytes.count > 0) co_yield said(call, CollectiveKind::Allgather, call.bytes, default_choice);
  co_yield said(call, CollectiveKind::Allreduce, number_bytes, default_choice);
}

/// Making a communicator out of an inter-communicator: one allreduce does both, of the whole table where there is one.
op::Script inter_number(Call call) {
  const std::int64_t table = call.bytes.count * (call.size + call.remote_size);
  co_yield said(call, CollectiveKind::Allreduce, table > 0 ? Bytes{table} : number_bytes, default_choice);
}

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
