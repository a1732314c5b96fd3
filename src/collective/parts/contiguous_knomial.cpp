// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/contiguous_knomial.hpp"

#include <algorithm>

#include "collective/parts/messages.hpp"

namespace orrery::collective {

ContiguousKnomial::ContiguousKnomial(int relative, int size, int k)
    : relative_(relative), size_(size), k_(std::clamp(k, 2, 32)) {
  while (length_ < size) length_ *= k_;
  for (std::int64_t node = 0; node != relative;) {
    // The child of `node` whose subtree has the rank.
    std::int64_t child = node + 1;
    std::int64_t length = length_ / k_;
    for (int i = 1; relative >= child + length; ++i) {
      child += length;
      if (i % (k_ - 1) == 0) length /= k_;
    }
    parent_ = static_cast<int>(node);
    node = child;
    length_ = length;
  }
}

std::vector<BlockRange> ContiguousKnomial::children() const {
  std::vector<BlockRange> all;
  std::int64_t child = relative_ + 1;
  for (std::int64_t length = length_ / k_; length > 0; length /= k_) {
    for (int i = 1; i < k_ && child < size_; ++i, child += length) all.push_back(clipped(child, length));
  }
  return all;
}

BlockRange ContiguousKnomial::clipped(std::int64_t first, std::int64_t length) const {
  return {static_cast<int>(first), static_cast<int>(std::min<std::int64_t>(first + length, size_))};
}

op::Script knomial_scatter(int self, FromRoot ranks, Blocks blocks, Region base, int k) {
  const ContiguousKnomial place(ranks.relative(self), ranks.size, k);
  if (place.parent() >= 0) co_yield recv_even_empty(ranks.rank(place.parent()), blocks.range(base, place.subtree()));
  const auto children = place.children();
  Started started;
  for (const BlockRange child : children)
    co_yield started.isend_even_empty(ranks.rank(child.first), blocks.range(base, child));
  co_yield started.wait_all();
}

}  // namespace orrery::collective
