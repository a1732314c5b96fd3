// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allgatherv {

/// Stream of one of two ranks in an allgather of blocks of different sizes: they exchange them. Cost: α + nβ, n bytes
/// in the larger block.
op::Script two_proc(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(2));
  const int other = 1 - call.self;
  const Slice own{input, blocks.bytes(call.self)};
  co_yield exchange(other, own, other, blocks.at(output, other));
  co_yield copy(blocks.at(output, call.self).region, own);
}

}  // namespace orrery::collective::allgatherv
