// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/four_heap.hpp"

namespace orrery::sharing {

/// The next event of every transfer, earliest first; at one time, in the order in which the transfers were started.
///
/// A heap with four children per node that knows where each transfer stands in it, so that an event can be moved:
/// O(log n) each, and O(1) for an event that comes after all others. No allocation below its largest size so far.
class EventHeap {
 public:
  struct Event {
    double time_s;           ///< not negative
    std::uint64_t order;     ///< of the transfer's start
    std::uint32_t transfer;  ///< small number, used as an index

    friend bool operator<(const Event& a, const Event& b) {
      return order_key(a.time_s, a.order) < order_key(b.time_s, b.order);
    }
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& first() const { return heap_.front(); }

  [[nodiscard]] bool contains(std::uint32_t transfer) const {
    return transfer < place_.size() && place_[transfer] != nowhere;
  }
  [[nodiscard]] double time_of(std::uint32_t transfer) const { return heap_[place_[transfer]].time_s; }

  /// The transfer must have no event yet.
  void push(const Event& event) {
    if (event.transfer >= place_.size())
      place_.resize(std::max<std::size_t>(event.transfer + 1, 2 * place_.size()), nowhere);
    heap_.push_back(event);
    rise(heap_.size() - 1, event);
  }

  void pop() { erase(heap_.front().transfer); }

  void erase(std::uint32_t transfer) {
    const std::size_t place = std::exchange(place_[transfer], nowhere);
    const Event last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    last < heap_[place] ? rise(place, last) : sink(place, last);
  }

  /// Gives the transfer's event another time.
  void move(std::uint32_t transfer, double time_s) {
    const std::size_t place = place_[transfer];
    Event event = heap_[place];
    const bool earlier = time_s < event.time_s;
    event.time_s = time_s;
    earlier ? rise(place, event) : sink(place, event);
  }

 private:
  static constexpr std::size_t children = 4;
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  void put(std::size_t place, const Event& event) {
    heap_[place] = event;
    place_[event.transfer] = static_cast<std::uint32_t>(place);
  }

  void rise(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / children;
      if (!(event < heap_[parent])) break;
      put(place, heap_[parent]);
      place = parent;
    }
    put(place, event);
  }

  void sink(std::size_t place, const Event& event) {
    for (;;) {
      const std::size_t begin = children * place + 1;
      if (begin >= heap_.size()) break;
      const std::size_t first = first_child(heap_.data(), begin, heap_.size());
      if (!(heap_[first] < event)) break;
      put(place, heap_[first]);
      place = first;
    }
    put(place, event);
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> place_;  ///< by transfer
};

}  // namespace orrery::sharing
