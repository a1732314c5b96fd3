// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/pool.hpp"
#include "op/op.hpp"

namespace orrery::kernel {

/// Which messages may meet: one context per communicator for point-to-point, one per call for collectives.
///
/// Bit 63 says that it is one of a collective, bits 32 to 62 are the communicator, and the rest is the number of the
/// call or, with bit 31, that of a partitioned pair.
using Context = std::uint64_t;

inline constexpr int comm_shift = 32;
inline constexpr Context collective_bit = Context{1} << 63;
inline constexpr Context partitioned_bit = Context{1} << 31;

[[nodiscard]] constexpr Context point_to_point_context(op::CommId comm) {
  return static_cast<Context>(comm) << comm_shift;
}
[[nodiscard]] constexpr Context collective_context(op::CommId comm, std::int32_t call) {
  return collective_bit | static_cast<Context>(comm) << comm_shift | static_cast<std::uint32_t>(call);
}
/// Partitions meet those of their own pair only (MPI-4.1, section 4.2.2), whatever else has their tag.
[[nodiscard]] constexpr Context partitioned_context(op::CommId comm, std::uint16_t pair) {
  return point_to_point_context(comm) | partitioned_bit | pair;
}
[[nodiscard]] constexpr bool is_collective(Context context) { return (context & collective_bit) != 0; }
[[nodiscard]] constexpr op::CommId comm_of(Context context) {
  return static_cast<op::CommId>((context & ~collective_bit) >> comm_shift);
}

/// What a receive or a message is matched by, with its place in the queues. First member of what is queued.
struct Queued {
  Context context = 0;
  std::int32_t source = 0;  ///< world rank, or op::any_source
  std::int32_t tag = 0;     ///< or op::any_tag
  std::uint64_t order = 0;  ///< receives: order of posting; messages: order of sending
  std::uint32_t next = none, previous = none;
};

[[nodiscard]] inline bool accepts(const Queued& receive, const Queued& message) {
  return receive.context == message.context && (receive.source == message.source || receive.source == op::any_source) &&
         (receive.tag == message.tag || receive.tag == op::any_tag);
}

/// What a receive or a probe of the rank's own stream matches by.
[[nodiscard]] inline Queued wanted_by(const op::Operation& operation) {
  Queued wanted;
  wanted.context = point_to_point_context(operation.comm);
  wanted.source = operation.peer;
  wanted.tag = operation.tag;
  return wanted;
}

/// A doubly linked list of queued things, by index into their pool.
struct List {
  std::uint32_t first = none, last = none;

  template <class T>
  void append(Pool<T>& pool, std::uint32_t index) {
    Queued& item = pool[index];
    item.next = none;
    item.previous = last;
    (last == none ? first : pool[last].next) = index;
    last = index;
  }
  template <class T>
  void remove(Pool<T>& pool, std::uint32_t index) {
    Queued& item = pool[index];
    (item.previous == none ? first : pool[item.previous].next) = item.next;
    (item.next == none ? last : pool[item.next].previous) = item.previous;
    item.next = item.previous = none;
  }
};

/// Things of a known source by (context, source), first in first out among equals: finding one among thousands of
/// others costs the same as among few. Takes no memory until something is queued.
class Bins {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }

  template <class T>
  void append(Pool<T>& pool, std::uint32_t index) {
    if (size_ >= 2 * bins_.size()) grow(pool);
    ++size_;
    bin(pool[index].context, pool[index].source).append(pool, index);
  }
  template <class T>
  void remove(Pool<T>& pool, std::uint32_t index) {
    --size_;
    bin(pool[index].context, pool[index].source).remove(pool, index);
  }
  /// First in the bin of (context, source) for which `matches`; none if there is none.
  template <class T, class Matches>
  [[nodiscard]] std::uint32_t find(const Pool<T>& pool, Context context, std::int32_t source, Matches&& matches) const {
    if (size_ == 0) return none;
    std::uint32_t index = bins_[slot(context, source)].first;
    while (index != none && !matches(pool[index])) index = pool[index].next;
    return index;
  }

  /// Last in the bin of (context, source); none if there is none.
  template <class T>
  [[nodiscard]] std::uint32_t last(const Pool<T>& pool, Context context, std::int32_t source) const {
    if (size_ == 0) return none;
    std::uint32_t index = bins_[slot(context, source)].last;
    while (index != none && (pool[index].context != context || pool[index].source != source))
      index = pool[index].previous;
    return index;
  }

 private:
  /// Odd numbers whose products spread near values over all bits: 2^64 over the golden ratio (Knuth, TAOCP 3, section
  /// 6.4), and another without pattern.
  static constexpr std::uint64_t spreads_sources = 0x9e3779b97f4a7c15, spreads_all = 0xd6e8feb86659fd93;
  static constexpr std::size_t first_bins = 4;  ///< a power of two, and so is their number always

  [[nodiscard]] std::size_t slot(Context context, std::int32_t source) const {
    const std::uint64_t hash = (context ^ (static_cast<std::uint64_t>(source) * spreads_sources)) * spreads_all;
    return (hash >> 32) & (bins_.size() - 1);  // the upper half depends on all bits
  }
  [[nodiscard]] List& bin(Context context, std::int32_t source) { return bins_[slot(context, source)]; }

  template <class T>
  void grow(Pool<T>& pool) {
    std::vector<List> old(bins_.empty() ? first_bins : bins_.size() * 2);
    old.swap(bins_);
    for (List& list : old) {
      while (list.first != none) {
        const std::uint32_t index = list.first;
        list.remove(pool, index);
        bin(pool[index].context, pool[index].source).append(pool, index);
      }
    }
  }

  std::vector<List> bins_;
  std::size_t size_ = 0;
};

}  // namespace orrery::kernel
