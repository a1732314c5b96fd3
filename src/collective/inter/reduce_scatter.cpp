// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// Each group reduces to its first rank; these exchange the results and give each rank of their group its block, all at
/// the same time. Groups of 3 and 2, a and b:
///     a1→a0, b1→b0 | a2→a0 | a0→b0, b0→a0 | a0→a1 a0→a2, b0→b1
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ) + α + nβ + (p − 1) · α + nβ, n in bytes, p being the larger size.
op::Script reduce_exchange_scatter(Call call, Blocks blocks) {
  const Bytes whole = blocks.total();
  Accumulator accumulator(call.self, call.commutative, scratch, scratch + whole);
  co_yield reduce_to_first(call.self, call.size, &accumulator, whole);
  // Beyond both places of the accumulator.
  const Region arrived = scratch + whole + whole;
  if (call.self == 0) {
    co_yield exchange(remote(call, 0), {accumulator.value(), whole}, remote(call, 0), {arrived, whole});
  }
  co_yield linear_scatter(call.self, {call.size, 0}, {output, blocks.bytes(call.self)}, blocks, arrived);
}

}  // namespace

namespace reduce_scatter {

/// Stream of one rank in a reduce-scatter, in which each group shares what the other one's operands give; any sizes,
/// blocks and associative operation.
op::Script remote_reduce_local_scatter(Call call) { return reduce_exchange_scatter(call, Blocks::listed(call.counts)); }

}  // namespace reduce_scatter

namespace reduce_scatter_block {

/// Stream of one rank in such a reduce-scatter with equal blocks.
op::Script remote_reduce_local_scatter(Call call) {
  return reduce_exchange_scatter(call, Blocks::equal(call.bytes, call.size));
}

}  // namespace reduce_scatter_block

}  // namespace orrery::collective
