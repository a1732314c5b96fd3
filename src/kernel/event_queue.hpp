// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/four_heap.hpp"
#include "base/quantity.hpp"
#include "kernel/index.hpp"

namespace orrery::kernel {

/// What happens at a time that the kernel knows beforehand.
struct Event {
  /// In their order at one instant.
  enum class Kind : std::uint8_t {
    Release,   ///< a Synchronous sender goes on; subject: its request
    Envelope,  ///< a message becomes visible to probes and wildcard receives; subject: the message
    OneSided,  ///< an acknowledgement or a lock's message arrives; subject: the one-sided operation
    Cursor,    ///< a rank, or a non-blocking collective of one, goes on; subject: the cursor
    Rest,      ///< one that waits for something leaves its processor; subject: the cursor
  };

  SimTime time;             ///< not negative
  std::uint64_t order = 0;  ///< smaller first at equal times; unique among the events of one instant
  std::uint32_t subject = 0;

  [[nodiscard]] Kind kind() const {
    return order >> rest_shift == rests ? Kind::Rest : static_cast<Kind>(order >> kind_shift);
  }

  /// Senders and envelopes in the order in which their messages were sent.
  static Event release(SimTime time, RequestIndex request, std::uint64_t sent) {
    return {time, of(Kind::Release) | sent, request.value};
  }
  static Event envelope(SimTime time, MessageIndex message, std::uint64_t sent) {
    return {time, of(Kind::Envelope) | sent, message.value};
  }
  /// One-sided operations in the order in which they began.
  static Event one_sided(SimTime time, OneSidedIndex operation, std::uint64_t begun) {
    return {time, of(Kind::OneSided) | begun, operation.value};
  }
  /// Ranks by number, a rank's own stream (serial 0) before its non-blocking collectives.
  static Event cursor(SimTime time, CursorIndex cursor, std::int32_t rank, std::uint32_t serial) {
    return {time, of(Kind::Cursor) | static_cast<std::uint64_t>(rank) << rank_shift | serial, cursor.value};
  }
  /// In the same order, after all that go on. Ranks are fewer than 2^29.
  static Event rest(SimTime time, CursorIndex cursor, std::int32_t rank, std::uint32_t serial) {
    return {time, rests << rest_shift | static_cast<std::uint64_t>(rank) << rank_shift | serial, cursor.value};
  }

  /// The upper two bits of an order are the kind. Rest shares those of Cursor, and has the bit below them.
  static constexpr int kind_shift = 62, rest_shift = 61;
  static constexpr std::uint64_t rests = 7;
  static constexpr int rank_shift = 32;  ///< below are 32 bits for the serial
  static constexpr std::uint64_t of(Kind kind) { return static_cast<std::uint64_t>(kind) << kind_shift; }

  friend bool operator<(const Event& a, const Event& b) {
    return order_key(a.time.s, a.order) < order_key(b.time.s, b.order);
  }
};

/// Events, the smallest first.
template <class Event>
class EarliestFirst {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& top() const { return heap_.front(); }

  void push(Event event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!(event < heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return first;
  }
  /// As pop and push.
  void replace_top(const Event& event) { sift_down(event); }

 private:
  void sift_down(Event event) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = 4 * at + 1;
      if (first >= size) break;
      const std::size_t least = first_child(heap_.data(), first, size);
      if (!(heap_[least] < event)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = event;
  }

  std::vector<Event> heap_;
};

using EventQueue = EarliestFirst<Event>;

}  // namespace orrery::kernel
