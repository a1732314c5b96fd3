// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/circulant.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce on a circulant graph: a reduce-scatter and an allgather back in ⌈log2 p⌉ rounds
/// each; any size without surplus ranks, commutative operation. p = 3; blocks a, b, c, and 0 begins with its own:
///     0→2 c 1→0 a 2→1 b | 0→1 b 1→2 c 2→0 a | 1→0 b 2→1 c 0→2 a | 0→1 a 1→2 b 2→0 c
/// Cost: 2⌈log2 p⌉ · α + (p − 1)/p · n(2β + γ), n in bytes, and two copies of n.
/// Source: Träff 2024, doi:10.48550/arXiv.2410.14234
op::Script circulant(Call call) {
  const Blocks blocks = Blocks::split(call.bytes, call.element, call.size);
  co_yield turn_to_self(call.self, blocks, scratch, input);
  co_yield circulant_reduce_scatter(call.self, blocks, scratch, scratch + call.bytes);
  co_yield circulant_allgather(call.self, blocks, scratch);
  co_yield turn_back(call.self, blocks, output, scratch);
}

}  // namespace orrery::collective::allreduce
