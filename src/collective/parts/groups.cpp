// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/groups.hpp"

#include "collective/parts/binomial.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {

op::Script reduce_to_first(int self, int size, Accumulator* accumulator, Bytes bytes) {
  return binomial_reduce(self, {size, 0}, accumulator, bytes);
}

op::Script gather_to_first(int self, int size, Bytes block) {
  const Blocks blocks = Blocks::equal(block, size);
  const bool is_leaf = BinomialNode{self, size}.subtree().last == self + 1;
  const Region base = (is_leaf && self != 0 ? input : scratch) - blocks.offset(self);
  if (base.buffer == op::Buffer::Scratch) co_yield copy(scratch, {input, block});
  co_yield binomial_gather(self, {size, 0}, blocks, base);
}

op::Script bcast_from_first(int self, int size, Slice data) { return binomial_bcast(self, {size, 0}, data); }

}  // namespace orrery::collective
