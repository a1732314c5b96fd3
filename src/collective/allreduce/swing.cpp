// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/bine.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce by Swing for long vectors: a reduce-scatter whose distances are 1, −1, 3, −5, 11,
/// ..., and an allgather back; any size, commutative operation.
///
/// The vector is cut into a block for each of 2^⌊log2 p⌋ ranks, in an order in which what a rank sends is in one piece
/// (`bine_position`). The surplus ranks fold into a neighbour first and get the result last. p = 4; blocks a to d:
///     0:cd↔1:ab 2:ab↔3:cd | 0:b↔3:a 1:d↔2:c | 0:a↔3:b 1:c↔2:d | 0:ab↔1:cd 2:cd↔3:ab
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: De Sensi et al. 2024, doi:10.48550/arXiv.2401.09356
op::Script swing(Call call) {
  const Fold fold(call.self, call.size);
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (fold.remains()) {
    co_yield accumulator.place(output, {accumulator.value(), call.bytes});
    const Blocks blocks = Blocks::split(call.bytes, call.element, fold.power());
    co_yield bine_reduce_scatter(fold, blocks, output, scratch);
    co_yield bine_allgather(fold, blocks, output);
  }
  co_yield fold_out(fold, {output, call.bytes});
}

}  // namespace orrery::collective::allreduce
