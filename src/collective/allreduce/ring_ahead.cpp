// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/ring.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce around a ring in which each rank first sends not its own block but the next one;
/// any size, operations that commute, even fewer elements than ranks. p = 3; blocks a, b, c:
///     0→1 b, 1→2 c, 2→0 a | 0→1 a, 1→2 b, 2→0 c | 0→1 c, 1→2 a, 2→0 b | 0→1 b, 1→2 c, 2→0 a
/// Cost: 2(p − 1) · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script ring_ahead(Call call) {
  co_yield ring_allreduce(call.self, Blocks::split(call.bytes, call.element, call.size), 1);
}

}  // namespace orrery::collective::allreduce
