// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace orrery::replay::loggops {

/// How many others each node still waits for: a byte each, as there are few in nearly all schedules.
class Countdowns {
 public:
  void reserve(std::size_t nodes) { left_.reserve(nodes); }
  void push_back(std::uint32_t count) {
    if (count >= many) more_[left_.size()] = count;
    left_.push_back(count >= many ? many : static_cast<std::uint8_t>(count));
  }
  /// One of those that `node` waits for is there. @return whether it was the last
  bool down(std::size_t node) {
    std::uint8_t& left = left_[node];
    if (left == 0) return false;  // in a damaged schedule
    if (left < many) return --left == 0;
    const auto found = more_.find(node);
    if (--found->second < many) {
      left = static_cast<std::uint8_t>(found->second);
      more_.erase(found);
    }
    return false;
  }
  void prefetch(std::size_t node) const { __builtin_prefetch(&left_[node]); }

 private:
  static constexpr std::uint8_t many = 255;

  std::vector<std::uint8_t> left_;
  std::unordered_map<std::size_t, std::uint32_t> more_;  ///< of those with `many` or more
};

}  // namespace orrery::replay::loggops
