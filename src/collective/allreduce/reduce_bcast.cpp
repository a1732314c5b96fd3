// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as a binomial reduction to rank 0 and a binomial broadcast; any size, any
/// associative operation. p = 6:
///     1→0 3→2 5→4 | 2→0 | 4→0 | 0→4 | 0→2 4→5 | 0→1 2→3
/// Cost: ⌈log2 p⌉ · (2α + 2nβ + nγ), n in bytes.
op::Script reduce_bcast(Call call) {
  const FromRoot ranks{call.size, 0};
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield binomial_reduce(call.self, ranks, &accumulator, call.bytes);
  if (call.self == 0) co_yield accumulator.place(output, {accumulator.value(), call.bytes});
  co_yield binomial_bcast(call.self, ranks, {output, call.bytes});
}

}  // namespace orrery::collective::allreduce
