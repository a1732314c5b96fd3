// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/embed.hpp"
#include "collective/parts/linear.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter as a reduction to rank 0, with the algorithm that Open MPI chooses, and a
/// linear scatter; any size, any associative operation. Cost: the sum of both.
op::Script nonoverlapping(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  call.kind = CollectiveKind::Reduce;
  call.root = 0;
  call.bytes = blocks.total();
  if (call.bytes.count == 0) co_return;
  co_yield embed(openmpi_stream(call), {.output = scratch, .scratch = scratch + call.bytes});
  co_yield linear_scatter(call.self, {call.size, 0}, {output, blocks.bytes(call.self)}, blocks, scratch);
}

}  // namespace orrery::collective::reduce_scatter
