// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace orrery::network {

/// The next event of every transfer, earliest first; at one time, in the order in which the transfers were started.
///
/// A heap with four children per node that knows where each transfer stands in it, so that an event can be moved:
/// O(log n) each, and O(1) for an event that comes after all others. No allocation once it has held its most.
class EventHeap {
 public:
  struct Event {
    double time_s;
    std::uint64_t order;     ///< of the transfer's start
    std::uint32_t transfer;  ///< small number, used as an index

    /// Without branches: which of the children of a node is first cannot be predicted.
    [[nodiscard]] bool before(const Event& other) const {
      return (time_s < other.time_s) | ((time_s == other.time_s) & (order < other.order));
    }
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& first() const { return heap_.front(); }

  /// The transfer must have no event yet.
  void push(const Event& event) {
    if (event.transfer >= place_.size()) place_.resize(std::max<std::size_t>(event.transfer + 1, 2 * place_.size()));
    heap_.push_back(event);
    rise(heap_.size() - 1, event);
  }

  void pop() {
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(0, last);
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
  static constexpr std::size_t kChildren = 4;

  void put(std::size_t place, const Event& event) {
    heap_[place] = event;
    place_[event.transfer] = static_cast<std::uint32_t>(place);
  }

  void rise(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / kChildren;
      if (!event.before(heap_[parent])) break;
      put(place, heap_[parent]);
      place = parent;
    }
    put(place, event);
  }

  void sink(std::size_t place, const Event& event) {
    for (;;) {
      const std::size_t begin = kChildren * place + 1;
      if (begin >= heap_.size()) break;
      const std::size_t end = std::min(begin + kChildren, heap_.size());
      std::size_t first = begin;
      for (std::size_t child = begin + 1; child < end; ++child)
        first = heap_[child].before(heap_[first]) ? child : first;
      if (!heap_[first].before(event)) break;
      put(place, heap_[first]);
      place = first;
    }
    put(place, event);
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> place_;  ///< by transfer
};

}  // namespace orrery::network
