// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "replay/loggops/event_runs.hpp"

namespace orrery::replay::loggops {

/// What waits for the same processor and interface of a rank, the first that was ready in front. Only one event stands
/// for all of them in the queue: else each would look again each time that one of them goes, and n of them n² / 2
/// times.
class Line {
 public:
  [[nodiscard]] bool empty() const { return begin_ == in_order_.size() && late_.empty(); }
  [[nodiscard]] const Event& front() const { return late_is_first() ? late_.front() : in_order_[begin_]; }

  /// Most come in the order in which they leave; those that do not are in a heap.
  void push(const Event& event) {
    if (begin_ == in_order_.size() || in_order_.back().order < event.order) {
      if (begin_ > in_order_.size() / 2) drop_gone();
      return in_order_.push_back(event);
    }
    late_.push_back(event);
    std::push_heap(late_.begin(), late_.end(), later);
  }

  Event pop() {
    const Event first = front();
    if (late_is_first()) {
      std::pop_heap(late_.begin(), late_.end(), later);
      late_.pop_back();
    } else if (++begin_ == in_order_.size()) {
      drop_gone();
    }
    return first;
  }

 private:
  static bool later(const Event& a, const Event& b) { return a.order > b.order; }

  [[nodiscard]] bool late_is_first() const {
    return !late_.empty() && (begin_ == in_order_.size() || late_.front().order < in_order_[begin_].order);
  }
  void drop_gone() {
    in_order_.erase(in_order_.begin(), in_order_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }

  std::vector<Event> in_order_, late_;
  std::size_t begin_ = 0;  ///< of what is left of the ordered ones
};

}  // namespace orrery::replay::loggops
