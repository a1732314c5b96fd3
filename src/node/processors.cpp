// SPDX-License-Identifier: BSD-3-Clause
#include "node/processors.hpp"

#include <algorithm>

namespace orrery::node {

bool Processors::want(std::uint32_t cursor) {
  if (cursor >= states_.size()) states_.resize(std::max<std::size_t>(std::size_t{cursor} + 1, 2 * states_.size()));
  State& state = states_[cursor];
  if (state != Sleeps) return state == Has;
  if (free_ == 0 || !waiting_.empty()) {
    waiting_.push_back(cursor);
    state = Waits;
    return false;
  }
  --free_;
  state = Has;
  return true;
}

void Processors::leave(std::uint32_t cursor) {
  if (!has(cursor)) return;
  states_[cursor] = Sleeps;
  ++free_;
}

std::optional<std::uint32_t> Processors::next() {
  if (free_ == 0 || waiting_.empty()) return std::nullopt;
  const std::uint32_t cursor = waiting_.front();
  waiting_.pop_front();
  states_[cursor] = Has;
  --free_;
  return cursor;
}

}  // namespace orrery::node
