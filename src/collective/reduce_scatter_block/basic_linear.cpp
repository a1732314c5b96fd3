// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/embed.hpp"

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks as a reduction to rank 0 and a scatter, each with the
/// algorithm that Open MPI chooses for it; any size, any associative operation. Cost: the sum of both.
op::Script basic_linear(Call call) {
  if (call.bytes.count == 0) co_return;
  const Bytes whole = call.bytes * call.size;
  Call part = call;
  part.root = 0;
  part.kind = CollectiveKind::Reduce;
  part.bytes = whole;
  co_yield embed(openmpi_stream(part), {.output = scratch, .scratch = scratch + whole});
  part.kind = CollectiveKind::Scatter;
  part.bytes = call.bytes;
  co_yield embed(openmpi_stream(part), {.input = scratch, .scratch = scratch + whole});
}

}  // namespace orrery::collective::reduce_scatter_block
