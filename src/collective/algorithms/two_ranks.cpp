// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one of two ranks in a barrier: each tells the other. Cost: α.
op::Script two_proc(Call call) { co_yield exchange_signals(1 - call.self, 1 - call.self); }

}  // namespace orrery::collective::barrier

namespace orrery::collective::allgather {

/// Stream of one of two ranks in an allgather: they exchange their blocks. Cost: α + nβ, n bytes per block.
op::Script two_proc(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int other = 1 - call.self;
  co_yield exchange(other, {input, call.bytes}, other, blocks.at(output, other));
  co_yield copy(blocks.at(output, call.self).region, {input, call.bytes});
}

}  // namespace orrery::collective::allgather

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

namespace orrery::collective::alltoall {

/// Stream of one of two ranks in an all-to-all: they exchange a block. Cost: α + nβ, n bytes per block.
op::Script two_proc(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const int other = 1 - call.self;
  co_yield exchange(other, blocks.at(input, other), other, blocks.at(output, other));
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
}

}  // namespace orrery::collective::alltoall
