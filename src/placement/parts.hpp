// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "placement/placement.hpp"

namespace orrery::placement {

constexpr std::uint32_t none = 0xffffffff;  ///< no rank, no part, no vertex

/// The ways from the leaves of a tree to the whole.
class Parts {
 public:
  explicit Parts(const Tree& tree) : depths_(tree.size(), 0) {
    for (std::uint32_t part = 1; part < tree.size(); ++part) depths_[part] = depths_[tree[part].parent] + 1;
    levels_ = 1 + *std::max_element(depths_.begin(), depths_.end());
    ways_.resize(tree.size() * levels_);
    for (std::uint32_t part = 0; part < tree.size(); ++part) {
      std::uint32_t at = part;
      for (std::uint32_t depth = levels_; depth-- > 0;) {
        ways_[part * levels_ + depth] = at;
        if (depth <= depths_[part]) at = tree[at].parent;
      }
    }
  }

  [[nodiscard]] std::size_t number() const { return depths_.size(); }
  [[nodiscard]] std::uint32_t levels() const { return levels_; }
  [[nodiscard]] std::uint32_t depth(std::uint32_t part) const { return depths_[part]; }
  /// The part at this depth around `part`; itself where it is not so deep.
  [[nodiscard]] std::uint32_t around(std::uint32_t part, std::uint32_t depth) const {
    return ways_[part * levels_ + depth];
  }
  /// Depth of the smallest part that has both.
  [[nodiscard]] std::uint32_t common_depth(std::uint32_t part, std::uint32_t other) const {
    if (part == other) return depths_[part];
    const std::uint32_t* a = &ways_[part * levels_];
    const std::uint32_t* b = &ways_[other * levels_];
    std::uint32_t depth = 0;
    while (a[depth + 1] == b[depth + 1]) ++depth;
    return depth;
  }
  [[nodiscard]] std::uint32_t common(std::uint32_t part, std::uint32_t other) const {
    return around(part, common_depth(part, other));
  }

 private:
  std::vector<std::uint32_t> depths_;
  std::uint32_t levels_ = 1;
  std::vector<std::uint32_t> ways_;
};

/// Time of an entry of the matrix, between ranks whose smallest common part is `part`.
[[nodiscard]] inline double pair_s(const Traffic& traffic, std::uint32_t entry, const Part& part) {
  return traffic.messages[entry] * part.message_s + traffic.bytes[entry] * part.byte_s;
}

/// By part: bytes that cross its border, both ways.
[[nodiscard]] std::vector<double> crossing_bytes(const Traffic& traffic, const Parts& parts, const Mapping& mapping);

/// @throws Interrupted
inline void look_at(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Interrupted{};
}

}  // namespace orrery::placement
