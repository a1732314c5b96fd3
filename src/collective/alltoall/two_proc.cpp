// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::alltoall {

/// Stream of one of two ranks in an all-to-all: they exchange a block. Cost: α + nβ, n bytes per block.
op::Script two_proc(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int other = 1 - call.self;
  co_yield exchange(other, blocks.at(input, other), other, blocks.at(output, other));
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
}

}  // namespace orrery::collective::alltoall
