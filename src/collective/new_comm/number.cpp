// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/default_rules.hpp"
#include "collective/parts/said.hpp"

namespace orrery::collective::new_comm {
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

}  // namespace orrery::collective::new_comm
