// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::exscan {

namespace {

op::Script along_chain(Call call, Empty empty) {
  const Slice operand{input, call.bytes};
  const Slice prefix{output, call.bytes};
  if (call.self > 0) co_yield recv(call.self - 1, prefix, empty);
  if (call.self == call.size - 1) co_return;
  if (call.self == 0) {
    co_yield send(1, operand, empty);
    co_return;
  }
  co_yield copy(scratch, operand);
  co_yield combine(scratch, prefix);
  co_yield send(call.self + 1, {scratch, call.bytes}, empty);
}

}  // namespace

/// Stream of one rank in an exclusive prefix reduction along the chain of ranks; any size, any associative operation.
/// The output of rank 0 is left alone. p = 3:
///     0→1 | 1→2
/// Cost: (p − 1) · (α + nβ + nγ), n in bytes.
op::Script linear(Call call) { co_yield along_chain(call, Empty::Skipped); }

/// `linear` with a message that has no elements sent like others.
op::Script linear_even_empty(Call call) { co_yield along_chain(call, Empty::Sent); }

}  // namespace orrery::collective::exscan
