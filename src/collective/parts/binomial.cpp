// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/binomial.hpp"

#include "collective/parts/messages.hpp"

namespace orrery::collective {

op::Script binomial_bcast(int self, FromRoot ranks, Slice data) {
  const BinomialNode node{ranks.relative(self), ranks.size};
  if (node.relative != 0) co_yield recv(ranks.rank(node.parent()), data);
  for (int distance = node.reach() / 2; distance >= 1; distance /= 2) {
    if (node.has_child(distance)) co_yield send(ranks.rank(node.child(distance)), data);
  }
}

op::Script binomial_reduce(int self, FromRoot ranks, Accumulator* accumulator, Bytes bytes) {
  const BinomialNode node{ranks.relative(self), ranks.size};
  for (int distance = 1; node.has_child(distance); distance *= 2) {
    const int child = ranks.rank(node.child(distance));
    const Slice arrived{accumulator->incoming(), bytes};
    co_yield recv(child, arrived);
    co_yield accumulator->absorb_from(child, arrived);
  }
  if (node.relative != 0) co_yield send(ranks.rank(node.parent()), {accumulator->value(), bytes});
}

op::Script binomial_scatter(int self, FromRoot ranks, Blocks blocks, Region base, bool to_the_end) {
  const BinomialNode node{ranks.relative(self), ranks.size};
  const auto given = [&](const BinomialNode& parent, int distance) {
    const BinomialNode child{parent.child(distance), ranks.size};
    const bool farthest = !parent.has_child(2 * distance);
    if (to_the_end && farthest && parent.relative != 0) return blocks.range(base, {child.relative, ranks.size});
    return blocks.range(base, child.subtree());
  };
  if (node.relative != 0) {
    const BinomialNode parent{node.parent(), ranks.size};
    co_yield recv(ranks.rank(parent.relative), given(parent, node.reach()));
  }
  for (int distance = node.reach() / 2; distance >= 1; distance /= 2) {
    if (node.has_child(distance)) co_yield send(ranks.rank(node.child(distance)), given(node, distance));
  }
}

op::Script binomial_gather(int self, FromRoot ranks, Blocks blocks, Region base) {
  const BinomialNode node{ranks.relative(self), ranks.size};
  for (int distance = 1; node.has_child(distance); distance *= 2) {
    const BinomialNode child{node.child(distance), ranks.size};
    co_yield recv(ranks.rank(child.relative), blocks.range(base, child.subtree()));
  }
  if (node.relative != 0) co_yield send(ranks.rank(node.parent()), blocks.range(base, node.subtree()));
}

}  // namespace orrery::collective
