// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::timeline {

/// Which of many streams has the smallest key; of equal ones the stream of the lowest number. A tree in which each
/// place has the smaller of the two below it: a change costs log2 of the streams.
class Order {
 public:
  static constexpr std::int64_t over = INT64_MAX;

  explicit Order(std::size_t streams) : leaves_(std::bit_ceil(streams + 1)), first_(2 * leaves_), keys_(leaves_, over) {
    for (std::size_t i = 0; i < leaves_; ++i) first_[leaves_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = leaves_; --i > 0;) choose(i);
  }

  void set(std::size_t stream, std::int64_t key) {
    keys_[stream] = key;
    for (std::size_t i = (leaves_ + stream) / 2; i > 0; i /= 2) choose(i);
  }
  [[nodiscard]] std::uint32_t first() const { return first_[1]; }
  [[nodiscard]] std::int64_t key() const { return keys_[first_[1]]; }

 private:
  void choose(std::size_t i) {
    const std::uint32_t left = first_[2 * i], right = first_[2 * i + 1];
    first_[i] = keys_[right] < keys_[left] ? right : left;
  }

  std::size_t leaves_;
  std::vector<std::uint32_t> first_;
  std::vector<std::int64_t> keys_;
};

}  // namespace orrery::timeline
