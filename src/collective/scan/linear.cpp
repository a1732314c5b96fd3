// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::scan {

/// Stream of one rank in an inclusive prefix reduction along the chain of ranks; any size, any associative operation. p
/// = 3:
///     0→1 | 1→2
/// Cost: (p − 1) · (α + nβ + nγ), n in bytes.
op::Script linear(Call call) {
  const Slice prefix{output, call.bytes};
  const Slice arrived{scratch, call.bytes};
  co_yield copy(output, {input, call.bytes});
  if (call.self > 0) {
    co_yield recv(call.self - 1, arrived);
    co_yield combine(output, arrived);
  }
  if (call.self < call.size - 1) co_yield send(call.self + 1, prefix);
}

}  // namespace orrery::collective::scan
