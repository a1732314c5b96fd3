// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allgather {

/// Stream of one of two ranks in an allgather: they exchange their blocks. Cost: α + nβ, n bytes per block.
op::Script two_proc(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int other = 1 - call.self;
  co_yield exchange(other, {input, call.bytes}, other, blocks.at(output, other));
  co_yield copy(blocks.at(output, call.self).region, {input, call.bytes});
}

}  // namespace orrery::collective::allgather
