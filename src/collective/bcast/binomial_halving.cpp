// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast along a binomial tree; any size and root.
///
/// Who has the data sends it half-way through the ranks for which it is responsible. p = 6, root 0:
///     0→4 | 0→2 4→5 | 0→1 2→3
/// Cost: ⌈log2 p⌉ · (α + nβ), n in bytes.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script binomial_halving(Call call) {
  co_yield binomial_bcast(call.self, {call.size, call.root}, {output, call.bytes});
}

}  // namespace orrery::collective::bcast
