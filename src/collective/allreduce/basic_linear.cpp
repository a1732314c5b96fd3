// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as a linear reduction to rank 0 and a linear broadcast; any size, any associative
/// operation. p = 3:
///     2→0 | 1→0 | 0→1 0→2
/// Cost: 2(p − 1) · (α + nβ) + (p − 1) · nγ, n in bytes.
op::Script basic_linear(Call call) {
  call.root = 0;
  co_yield reduce::linear(call);
  co_yield bcast::linear(call);
}

}  // namespace orrery::collective::allreduce
