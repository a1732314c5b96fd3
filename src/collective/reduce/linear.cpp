// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a linear reduction; any size, root and associative operation.
///
/// The root combines the operands in the order of the ranks, last rank first. p = 4, root 1:
///     3→1 | 2→1 | own | 0→1
/// Cost: (p − 1) · (α + nβ + nγ), n in bytes.
op::Script linear(Call call) {
  const Slice operand{input, call.bytes};
  const Slice arrived{scratch, call.bytes};
  if (call.self != call.root) {
    co_yield send(call.root, operand);
    co_return;
  }
  const int last = call.size - 1;
  if (call.self == last) {
    co_yield copy(output, operand);
  } else {
    co_yield recv(last, {output, call.bytes});
  }
  for (int peer = last - 1; peer >= 0; --peer) {
    if (peer == call.self) {
      co_yield combine(output, operand);
    } else {
      co_yield recv(peer, arrived);
      co_yield combine(output, arrived);
    }
  }
}

}  // namespace orrery::collective::reduce
