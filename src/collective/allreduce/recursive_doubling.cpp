// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/doubling_allreduce.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by recursive doubling; any size, any associative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get the result last. p = 6, r = 2:
///     fold 0→1 2→3 | 1↔3 4↔5 | 1↔4 3↔5 | unfold 1→0 3→2
/// Cost, p a power of two: log2 p · (α + nβ + nγ), n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  return doubling_allreduce(call, [](int number, int step, int) { return number ^ 1 << step; });
}

}  // namespace orrery::collective::allreduce
