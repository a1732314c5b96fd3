// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/four_heap.hpp"
#include "kernel/event_queue.hpp"

namespace orrery::replay::loggops {

/// Something that happens, or that looks whether it can. What has to wait keeps its place among those of its new time.
struct Event {
  std::uint64_t time;
  std::uint64_t order;  ///< of what was ready first; the lowest bit says that it is a message,
                        ///< the next that it stands for all that wait for the same
  std::uint32_t rank;   ///< owner of the node; of a message its sender
  std::uint32_t node;

  [[nodiscard]] bool is_message() const { return (order & 1) != 0; }
  [[nodiscard]] bool stands_for_others() const { return (order & 2) != 0; }
  [[nodiscard]] Event for_others(std::uint64_t at) const { return {at, order | 2, rank, node}; }
};

/// Events, the earliest first; at one time, the lowest `order` first.
///
/// Schedules of collectives are symmetrical: thousands of events have the same time, and come in their order. They are
/// appended to a run, and only the first of each run is in the heap. Two runs of one time are no mistake: the heap
/// compares the orders, too. So a time is known by a small table that may forget, and where all times differ, there are
/// no runs: that costs what a heap costs.
class EventRuns {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }

  void push(const Event& event) {
    // What was put off comes back with an old order. It makes runs of its own, in between would end those of the
    // others.
    const bool again = event.order < fresh_;
    fresh_ = std::max(fresh_, event.order + 1);
    Known& known = known_[again][event.time * 0x9e3779b97f4a7c15 >> (64 - table_bits)];
    if (known.time != event.time) {
      known = {event.time, none};
      return heap_.push({event, none});
    }
    if (known.run != none) {
      Run& run = runs_[known.run];
      if (run.time == event.time && run.last < event.order) {
        run.last = event.order;
        return run.items.push_back({event.order, event.rank, event.node});
      }
    }
    known.run = take_run(event);
    heap_.push({event, known.run});
  }

  Event pop() {
    const Entry first = heap_.top();
    present_ = first.run == none ? nullptr : &runs_[first.run];
    if (present_ != nullptr && present_->next < present_->items.size()) {
      const Item& item = present_->items[present_->next++];
      heap_.replace_top({{first.event.time, item.order, item.rank, item.node}, first.run});
      return first.event;
    }
    if (present_ != nullptr) give_back(first.run);
    present_ = nullptr;
    heap_.pop();
    return first.event;
  }

  /// What leaves next, if nothing is pushed before; null if there is nothing.
  [[nodiscard]] const Event* next() const { return heap_.empty() ? nullptr : &heap_.top().event; }

  /// Calls `look` with the event that is `distance` > 0 behind what was popped last, if it is in the same run.
  template <class Look>
  void ahead(std::size_t distance, Look&& look) const {
    if (present_ == nullptr) return;
    const std::size_t place = present_->next + distance - 2;
    if (place >= present_->items.size()) return;
    const Item& item = present_->items[place];
    look(Event{present_->time, item.order, item.rank, item.node});
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  static constexpr int table_bits = 6;

  struct Item {
    std::uint64_t order;
    std::uint32_t rank, node;
  };
  struct Run {
    std::uint64_t time = never;
    std::uint64_t last = 0;   ///< order of its last event
    std::size_t next = 0;     ///< of its items
    std::vector<Item> items;  ///< behind its first event, which is in the heap
  };
  struct Entry {
    Event event;
    std::uint32_t run;

    friend bool operator<(const Entry& a, const Entry& b) {
      return order_key(a.event.time, a.event.order) < order_key(b.event.time, b.event.order);
    }
  };
  struct Known {
    std::uint64_t time = never;
    std::uint32_t run = none;
  };

  std::uint32_t take_run(const Event& first) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(runs_.size()));
      runs_.emplace_back();
      present_ = nullptr;  // runs may have moved
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    runs_[index].time = first.time;
    runs_[index].last = first.order;
    return index;
  }
  void give_back(std::uint32_t index) {
    Run& run = runs_[index];
    constexpr std::size_t most_kept = 4096;  // so that memory follows what there is now
    if (run.items.capacity() > most_kept) std::vector<Item>().swap(run.items);
    run.items.clear();
    run.next = 0;
    run.time = never;
    free_.push_back(index);
  }

  kernel::EarliestFirst<Entry> heap_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_;
  std::array<std::array<Known, std::size_t{1} << table_bits>, 2> known_{};
  std::uint64_t fresh_ = 0;  ///< above all orders that came
  Run* present_ = nullptr;   ///< of what was popped last
};

}  // namespace orrery::replay::loggops
