// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes as a linear gather to rank 0 and a broadcast with the
/// algorithm that Open MPI chooses; it sees one element, which it cannot cut. Any size. Cost: the sum of both.
op::Script gather_bcast(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  co_yield linear_gather(call.self, {call.size, 0}, {input, blocks.bytes(call.self)}, blocks, output);
  call.kind = CollectiveKind::Bcast;
  call.root = 0;
  call.bytes = blocks.total();
  if (call.bytes.count == 0) co_return;
  call.element = call.bytes.count;
  co_yield openmpi_stream(call);
}

}  // namespace orrery::collective::allgatherv
