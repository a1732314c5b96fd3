// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/bine.hpp"

#include <bit>

#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

int steps_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

/// The steps, as bits, by which number 0 reaches another one, if steps come in descending order. In base −2, two
/// neighbouring digits of the number differ where a step is taken.
unsigned descending_steps(int number, int power) {
  constexpr unsigned odd_digits = 0xaaaaaaaaU;  // of weight −2, −8, ...
  const unsigned digits =
      ((static_cast<unsigned>(number) + odd_digits) ^ odd_digits) & static_cast<unsigned>(power - 1);
  return digits ^ (digits >> 1U);
}

/// Blocks that are known to be those of `number` and of all whom it meets from `step` on.
BlockRange known(int number, int step, int power) {
  const int length = power >> step;
  const int first = bine_position(number, power) / length * length;
  return {first, first + length};
}

}  // namespace

int bine_partner(int number, int step, int power) {
  const int distance = (1 - (step % 2 == 0 ? -(2 << step) : 2 << step)) / 3;
  return (number + (number % 2 == 0 ? distance : -distance)) & (power - 1);
}

int bine_position(int number, int power) {
  // Steps taken back in the opposite order lead from `number` to 0, which are those from 0 to −number if it is even.
  const unsigned taken = descending_steps(number % 2 == 0 ? -number : number, power);
  unsigned position = 0;
  for (int step = 0; step < steps_of(power); ++step) position = position << 1U | (taken >> step & 1U);
  return static_cast<int>(position);
}

int bine_number(int position, int power) {
  int number = 0;
  for (int step = 0; step < steps_of(power); ++step) {
    if ((position & (power >> (step + 1))) != 0) number = bine_partner(number, step, power);
  }
  return number;
}

TreeNode bine_tree(int self, FromRoot ranks) {
  const Fold fold(ranks.relative(self), ranks.size, Fold::Remaining::Even);
  const auto rank = [&](int number) { return ranks.rank(fold.rank(number)); };
  TreeNode node;
  if (!fold.remains()) {
    node.parent = ranks.rank(fold.neighbour());
    return node;
  }
  const int number = fold.number();
  int below = steps_of(fold.power());  // steps that come after the one by which this rank gets the data
  if (number != 0) {
    below = std::countr_zero(descending_steps(number, fold.power()));
    node.parent = rank(bine_partner(number, below, fold.power()));
  }
  for (int step = below - 1; step >= 0; --step) node.children.push_back(rank(bine_partner(number, step, fold.power())));
  if (fold.paired()) node.children.push_back(ranks.rank(fold.neighbour()));
  return node;
}

op::Script bine_reduce_scatter(Fold fold, Blocks blocks, Region sums, Region arrived) {
  for (int step = 0; step < steps_of(fold.power()); ++step) {
    const int peer = fold.rank(bine_partner(fold.number(), step, fold.power()));
    const BlockRange kept = known(fold.number(), step + 1, fold.power());
    const Slice own = blocks.range(sums, kept);
    co_yield exchange(peer, blocks.range(sums, kept.sibling()), peer, {arrived, own.bytes});
    co_yield combine(own.region, {arrived, own.bytes});
  }
}

op::Script bine_allgather(Fold fold, Blocks blocks, Region base) {
  for (int step = steps_of(fold.power()) - 1; step >= 0; --step) {
    const int peer = fold.rank(bine_partner(fold.number(), step, fold.power()));
    const BlockRange own = known(fold.number(), step + 1, fold.power());
    co_yield exchange(peer, blocks.range(base, own), peer, blocks.range(base, own.sibling()));
  }
}

}  // namespace orrery::collective
