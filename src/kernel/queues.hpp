// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

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

/// What a receive or a message is matched by.
struct Queued {
  Context context = 0;
  std::int32_t source = 0;  ///< world rank, or op::any_source
  std::int32_t tag = 0;     ///< or op::any_tag
  std::uint64_t order = 0;  ///< receives: order of posting; messages: order of sending
};

/// What is queued, with its place in a queue. First base of `T`.
template <class T>
struct Linked : Queued {
  Index<T> next = none, previous = none;
};

/// What may stand in a queue that has become long, and is then queued by tag as well.
template <class T>
struct Tagged : Linked<T> {
  Index<T> next_alike = none, previous_alike = none;
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

/// How things are queued by context and source.
struct BySource {
  static constexpr auto& next(auto& item) { return item.next; }
  static constexpr auto& previous(auto& item) { return item.previous; }
  static bool alike(const Queued& a, const Queued& b) { return a.context == b.context && a.source == b.source; }
  static std::uint64_t key(const Queued& item) {
    return item.context ^ (static_cast<std::uint64_t>(item.source) * spreads);
  }
  /// An odd number whose products spread near values over all bits: 2^64 over the golden ratio (Knuth, TAOCP 3, section
  /// 6.4).
  static constexpr std::uint64_t spreads = 0x9e3779b97f4a7c15;
};

/// How they are queued by tag besides.
struct ByTag {
  static constexpr auto& next(auto& item) { return item.next_alike; }
  static constexpr auto& previous(auto& item) { return item.previous_alike; }
  static bool alike(const Queued& a, const Queued& b) { return BySource::alike(a, b) && a.tag == b.tag; }
  static std::uint64_t key(const Queued& item) {
    return BySource::key(item) ^ (static_cast<std::uint64_t>(item.tag) * spreads);
  }
  static constexpr std::uint64_t spreads = 0xc2b2ae3d27d4eb4f;  ///< without pattern
};

/// A doubly linked list of queued things, by index into their pool.
template <class T, class By>
struct List {
  Index<T> first = none, last = none;

  void append(Pool<T>& pool, Index<T> index) {
    T& item = pool[index];
    By::next(item) = none;
    By::previous(item) = last;
    (last == none ? first : By::next(pool[last])) = index;
    last = index;
  }
  void remove(Pool<T>& pool, Index<T> index) {
    T& item = pool[index];
    (By::previous(item) == none ? first : By::next(pool[By::previous(item)])) = By::next(item);
    (By::next(item) == none ? last : By::previous(pool[By::next(item)])) = By::previous(item);
    By::next(item) = By::previous(item) = none;
  }
};

/// Queued things in bins, first in first out among those that are alike: finding one among thousands of others costs
/// the same as among few. Takes no memory until something is queued.
template <class T, class By>
class Bins {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void append(Pool<T>& pool, Index<T> index) {
    if (size_ >= 2 * count_) grow(pool);
    ++size_;
    bin(pool[index]).append(pool, index);
  }
  void remove(Pool<T>& pool, Index<T> index) {
    --size_;
    bin(pool[index]).remove(pool, index);
  }
  /// The first in the bin of things like `wanted` for which `matches`; none if there is none.
  template <class Matches>
  [[nodiscard]] Index<T> find(const Pool<T>& pool, const Queued& wanted, Matches&& matches) const {
    Index<T> index = first(wanted);
    while (index != none && !matches(pool[index])) index = By::next(pool[index]);
    return index;
  }
  /// First and last of the bin that things like `item` are in; none if it is empty.
  [[nodiscard]] Index<T> first(const Queued& item) const { return size_ == 0 ? none : bin(item).first; }
  [[nodiscard]] Index<T> last(const Queued& item) const { return size_ == 0 ? none : bin(item).last; }
  /// Calls `act(index)` for all, in the order in which they were queued where they are alike.
  template <class Act>
  void for_each(const Pool<T>& pool, Act&& act) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      for (Index<T> index = bins_[i].first; index != none; index = By::next(pool[index])) act(index);
    }
  }

 private:
  static constexpr std::uint64_t spreads = 0xd6e8feb86659fd93;  ///< odd, without pattern
  static constexpr std::uint32_t first_bins = 4;                ///< a power of two, and so is their number always

  [[nodiscard]] List<T, By>& bin(const Queued& item) const {
    return bins_[(By::key(item) * spreads >> 32) & (count_ - 1)];  // the upper half depends on all bits
  }

  void grow(Pool<T>& pool) {
    const std::unique_ptr<List<T, By>[]> old = std::move(bins_);
    const std::uint32_t before = count_;
    count_ = before == 0 ? first_bins : 2 * before;
    bins_ = std::make_unique<List<T, By>[]>(count_);
    for (std::uint32_t i = 0; i < before; ++i) {
      while (old[i].first != none) {
        const Index<T> index = old[i].first;
        old[i].remove(pool, index);
        bin(pool[index]).append(pool, index);
      }
    }
  }

  std::unique_ptr<List<T, By>[]> bins_;
  std::uint32_t count_ = 0;
  std::uint32_t size_ = 0;
};

/// Posted receives, or unexpected messages, of one rank, by context and source; receives of any source have a place of
/// their own. Who looks for a tag goes through those of its source, until that takes long: then all are queued by tag
/// as well, for as long as there are some.
template <class T>
class MatchingQueue {
 public:
  void append(Pool<T>& pool, Index<T> index) {
    by_source_.append(pool, index);
    if (by_tag_ != nullptr) by_tag_->append(pool, index);
  }
  void remove(Pool<T>& pool, Index<T> index) {
    by_source_.remove(pool, index);
    if (by_tag_ == nullptr) return;
    by_tag_->remove(pool, index);
    if (by_source_.empty()) by_tag_.reset();
  }
  /// The first of this source that accepts `other`, or that `other` accepts. Either of the two may have any tag.
  [[nodiscard]] Index<T> first_for(Pool<T>& pool, const Queued& other, std::int32_t source) {
    const Queued wanted = envelope(other.context, source, other.tag);
    const bool has_tag = other.tag != op::any_tag;
    if (has_tag && by_tag_ != nullptr) return first_by_tag(pool, wanted);
    int looked_at = 0;
    for (Index<T> index = by_source_.first(wanted); index != none; index = pool[index].next) {
      if (BySource::alike(pool[index], wanted) && tags_fit(pool[index], wanted)) return index;
      if (++looked_at < long_search || !has_tag) continue;
      queue_by_tag(pool);
      return first_by_tag(pool, wanted);
    }
    return none;
  }
  /// The first of (context, source) for which `matches`; none if there is none.
  template <class Matches>
  [[nodiscard]] Index<T> find(const Pool<T>& pool, Context context, std::int32_t source, Matches&& matches) const {
    const Queued wanted = envelope(context, source, op::any_tag);
    return by_source_.find(pool, wanted, [&](const T& item) { return BySource::alike(item, wanted) && matches(item); });
  }
  /// The last of (context, source); none if there is none.
  [[nodiscard]] Index<T> last(const Pool<T>& pool, Context context, std::int32_t source) const {
    const Queued wanted = envelope(context, source, op::any_tag);
    Index<T> index = by_source_.last(wanted);
    while (index != none && !BySource::alike(pool[index], wanted)) index = pool[index].previous;
    return index;
  }

 private:
  static constexpr int long_search = 64;  ///< things looked at in vain

  static Queued envelope(Context context, std::int32_t source, std::int32_t tag) {
    Queued item;
    item.context = context;
    item.source = source;
    item.tag = tag;
    return item;
  }
  static bool tags_fit(const Queued& a, const Queued& b) {
    return a.tag == b.tag || a.tag == op::any_tag || b.tag == op::any_tag;
  }
  [[nodiscard]] Index<T> first_alike(const Pool<T>& pool, const Queued& wanted) const {
    return by_tag_->find(pool, wanted, [&](const T& item) { return ByTag::alike(item, wanted); });
  }
  /// The first of the tag or of any tag.
  [[nodiscard]] Index<T> first_by_tag(const Pool<T>& pool, Queued wanted) const {
    const Index<T> of_tag = first_alike(pool, wanted);
    wanted.tag = op::any_tag;
    const Index<T> of_any = first_alike(pool, wanted);
    if (of_tag == none || of_any == none) return of_tag == none ? of_any : of_tag;
    return pool[of_tag].order < pool[of_any].order ? of_tag : of_any;
  }
  void queue_by_tag(Pool<T>& pool) {
    by_tag_ = std::make_unique<Bins<T, ByTag>>();
    by_source_.for_each(pool, [&](Index<T> index) { by_tag_->append(pool, index); });
  }

  Bins<T, BySource> by_source_;
  std::unique_ptr<Bins<T, ByTag>> by_tag_;
};

}  // namespace orrery::kernel
