// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce, in which each group gets what the other one's operands give; any sizes and
/// associative operation.
///
/// Each group reduces to its first rank; these exchange the results and broadcast them. Groups of 3 and 2, a and b:
///     a1→a0, b1→b0 | a2→a0 | a0→b0, b0→a0 | a0→a2, b0→b1 | a0→a1
/// Cost: ⌈log2 p⌉ · (2α + 2nβ + nγ) + α + nβ, n in bytes, p being the larger size.
op::Script reduce_exchange_bcast(Call call) {
  Accumulator accumulator(call.self, call.commutative, scratch, scratch + call.bytes);
  co_yield reduce_to_first(call.self, call.size, &accumulator, call.bytes);
  const Slice result{output, call.bytes};
  if (call.self == 0) {
    co_yield exchange(remote(call, 0), {accumulator.value(), call.bytes}, remote(call, 0), result);
  }
  co_yield bcast_from_first(call.self, call.size, result);
}

}  // namespace orrery::collective::allreduce
