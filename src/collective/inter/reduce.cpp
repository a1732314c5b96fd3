// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction of one group to a root in the other; any sizes, root and associative operation.
///
/// A binomial reduction to the first rank, which sends the result to the root. Groups of 4 and 2, a and b, root b1:
///     a1→a0 a3→a2 | a2→a0 | a0→b1
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ) + α + nβ, n in bytes, p ranks without the root's group.
op::Script local_reduce_remote_send(Call call) {
  if (call.root == op::root_here) co_yield recv(remote(call, 0), {output, call.bytes});
  if (!opposite_root(call)) co_return;
  Accumulator accumulator(call.self, call.commutative, scratch, scratch + call.bytes);
  co_yield reduce_to_first(call.self, call.size, &accumulator, call.bytes);
  if (call.self == 0) co_yield send(remote(call, call.root), {accumulator.value(), call.bytes});
}

}  // namespace orrery::collective::reduce
