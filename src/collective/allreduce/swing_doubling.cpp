// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/bine.hpp"
#include "collective/parts/doubling_allreduce.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by Swing for short vectors: recursive doubling with distances 1, −1, 3, −5, 11,
/// ...; any size, commutative operation. p = 8:
///     0↔1 2↔3 4↔5 6↔7 | 0↔7 1↔2 3↔4 5↔6 | 0↔3 1↔6 2↔5 4↔7
/// The surplus ranks fold into a neighbour first and get the result last.
/// Cost, p a power of two: log2 p · (α + nβ + nγ), n in bytes.
/// Source: De Sensi et al. 2024, doi:10.48550/arXiv.2401.09356
op::Script swing_doubling(Call call) { return doubling_allreduce(call, bine_partner); }

}  // namespace orrery::collective::allreduce
