// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::timeline {

/// Times of ranks that matter.
class Windows {
 public:
  explicit Windows(std::uint32_t ranks) : by_rank_(ranks) {}

  void add(std::uint32_t rank, std::int64_t begin_ns, std::int64_t end_ns);
  /// To be called between the last `add` and the first `touches`.
  void prepare();
  /// Whether the time, its ends included, has anything in common with a window of the rank.
  [[nodiscard]] bool touches(std::uint32_t rank, std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Window {
    std::int64_t begin_ns, end_ns;
  };
  std::vector<std::vector<Window>> by_rank_;
};

/// The longest of many, in the memory of twice as many as are kept.
template <class Event>
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(most) {}

  void add(const Event& event) {
    events_.push_back(event);
    if (events_.size() >= 2 * most_ + 1024) cut();
  }
  [[nodiscard]] std::vector<Event> take() {
    cut();
    return std::move(events_);
  }

 private:
  void cut() {
    if (events_.size() <= most_) return;
    const auto length = [](const Event& event) { return event.end_ns - event.begin_ns; };
    std::nth_element(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(most_), events_.end(),
                     [&](const Event& a, const Event& b) {
                       return length(a) != length(b) ? length(a) > length(b) : a.begin_ns < b.begin_ns;
                     });
    events_.resize(most_);
  }

  std::size_t most_;
  std::vector<Event> events_;
};

}  // namespace orrery::timeline
