// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/matching.hpp"

#include <algorithm>

namespace orrery::timeline {

Matching::Key Matching::key_of(const Side& side) {
  const auto peer = static_cast<std::uint32_t>(side.peer);
  return {side.is_send ? side.rank : peer, side.is_send ? peer : side.rank, side.comm, side.tag, side.pair};
}

Matching::Number Matching::add(const Side& side) {
  if (free_.empty()) {
    sides_.push_back(side);
    return static_cast<Number>(sides_.size() - 1);
  }
  const Number number = free_.back();
  free_.pop_back();
  sides_[number] = side;
  return number;
}

void Matching::assign(Number number) {
  Side& side = sides_[number];
  side.assigned = true;
  if (channels_.size() >= sweep_at_) sweep();
  Channel& channel = channels_[key_of(side)];
  while (channel.first != none && sides_[channel.first].withdrawn) {
    const Number gone = channel.first;
    channel.first = sides_[gone].next;
    free(gone);
  }
  if (channel.first == none || sides_[channel.first].is_send == side.is_send) {
    if (channel.first == none) {
      channel.first = number;
    } else {
      sides_[channel.last].next = number;
    }
    channel.last = number;
    return;
  }
  side.other = channel.first;
  sides_[side.other].other = number;
  channel.first = sides_[side.other].next;
}

/// Channels are kept for the next message, but for when there are too many that have none.
void Matching::sweep() {
  std::erase_if(channels_, [](const auto& channel) { return channel.second.first == none; });
  sweep_at_ = std::max(sweep_at_, 2 * channels_.size());
}

Matching::Number Matching::waiting_for(const Side& receive) const {
  const auto found = channels_.find(key_of(receive));
  if (found == channels_.end() || found->second.first == none) return none;
  return sides_[found->second.first].is_send ? found->second.first : none;
}

void Matching::forget(Number number) {
  const Side& side = sides_[number];
  if (side.other == none || !side.over || !sides_[side.other].over) return;
  const Number other = side.other;
  free(number);
  free(other);
}

void Matching::free(Number number) {
  lineage_.release(sides_[number].place);
  sides_[number] = {};
  free_.push_back(number);
}

Matching::Left Matching::left() const {
  std::vector<bool> is_free(sides_.size());
  for (const Number number : free_) is_free[number] = true;
  Left left;
  for (Number number = 0; number < sides_.size(); ++number) {
    const Side& side = sides_[number];
    if (is_free[number] || side.other != none || side.withdrawn) continue;
    if (side.is_send) ++left.sends;
    if (!side.is_send && side.over) ++left.receives;
  }
  return left;
}

}  // namespace orrery::timeline
