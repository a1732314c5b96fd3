// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/queues.hpp"
#include "trace/goal/schedule.hpp"

namespace orrery::replay::loggops {

/// A message that came, or a receive that began, and waits for the other.
struct Waiting {
  std::uint32_t source;  ///< rank; of a receive maybe any, as its tag
  std::uint32_t tag;
  std::uint32_t node : 31;  ///< of the source, if it is a message
  std::uint32_t is_message : 1;

  static constexpr std::uint32_t most_nodes = std::uint32_t{1} << 31;

  [[nodiscard]] bool meets(const Waiting& other) const {
    return is_message != other.is_message && same(source, other.source) && same(tag, other.tag);
  }

 private:
  static bool same(std::uint32_t a, std::uint32_t b) {
    return (a == b) | (a == trace::goal::any) | (b == trace::goal::any);
  }
};

/// What waits on a rank where many do: receives and messages by source and tag; in the order of their coming, where
/// some receive takes any.
class Crowd {
 public:
  struct Item : kernel::Linked<Item> {
    std::uint32_t node = 0;
  };
  using Pool = kernel::Pool<Item>;  ///< of all ranks

  void append(Pool& pool, const Waiting& waiting, bool any) {
    const kernel::Index<Item> index = pool.take();
    Item& item = pool[index];
    item.context = waiting.tag;
    item.source = static_cast<std::int32_t>(waiting.source);
    item.node = waiting.node;
    Kind& kind = kinds_[waiting.is_message];
    any ? kind.all.append(pool, index) : kind.bins.append(pool, index);
  }

  /// The first that meets `other`; takes it out.
  std::optional<Waiting> take(Pool& pool, const Waiting& other, bool any) {
    const std::uint32_t is_message = 1u - other.is_message;
    const auto waiting = [&](const Item& item) {
      return Waiting{static_cast<std::uint32_t>(item.source), static_cast<std::uint32_t>(item.context), item.node,
                     is_message};
    };
    const auto meets = [&](const Item& item) { return waiting(item).meets(other); };
    Kind& kind = kinds_[is_message];
    kernel::Queued wanted;
    wanted.context = other.tag;
    wanted.source = static_cast<std::int32_t>(other.source);
    const kernel::Index<Item> index = any ? kind.first(pool, meets) : kind.bins.find(pool, wanted, meets);
    if (index == kernel::none) return std::nullopt;
    const Waiting found = waiting(pool[index]);
    any ? kind.all.remove(pool, index) : kind.bins.remove(pool, index);
    pool.give_back(index);
    return found;
  }

  /// Nothing of this kind waits here.
  [[nodiscard]] bool empty(bool messages) const {
    return kinds_[messages].bins.empty() && kinds_[messages].all.first == kernel::none;
  }

 private:
  struct Kind {
    kernel::Bins<Item, kernel::BySource> bins;
    kernel::List<Item, kernel::BySource> all;

    template <class Meets>
    kernel::Index<Item> first(const Pool& pool, Meets&& meets) const {
      kernel::Index<Item> index = all.first;
      while (index != kernel::none && !meets(pool[index])) index = pool[index].next;
      return index;
    }
  };
  std::array<Kind, 2> kinds_;  ///< receives, messages
};

/// The crowds of all ranks, of which most have none.
struct Crowds {
  explicit Crowds(std::uint32_t ranks) : of_ranks(ranks) {}
  Crowd& of(std::uint32_t rank) {
    if (of_ranks[rank] == nullptr) of_ranks[rank] = std::make_unique<Crowd>();
    return *of_ranks[rank];
  }

  std::vector<std::unique_ptr<Crowd>> of_ranks;
  Crowd::Pool pool;
};

/// The first few of what waits on a rank, in the order of their coming: mostly all, and one line of the cache. What is
/// here came before what of its kind is in the crowd.
class alignas(64) Few {
 public:
  void append(const Waiting& waiting, std::uint32_t rank, Crowds& crowds) {
    if (count_ == most || crowded_[waiting.is_message]) {
      crowded_[waiting.is_message] = true;
      return crowds.of(rank).append(crowds.pool, waiting, any_);
    }
    few_[count_++] = waiting;
  }

  /// The first that meets `other`; takes it out.
  std::optional<Waiting> take(const Waiting& other, std::uint32_t rank, Crowds& crowds) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!few_[i].meets(other)) continue;
      const Waiting found = few_[i];
      std::copy(few_.begin() + i + 1, few_.begin() + count_, few_.begin() + i);
      --count_;
      return found;
    }
    const bool messages = !other.is_message;
    if (!crowded_[messages]) return std::nullopt;
    Crowd& crowd = crowds.of(rank);
    const std::optional<Waiting> found = crowd.take(crowds.pool, other, any_);
    if (found) crowded_[messages] = !crowd.empty(messages);
    return found;
  }

  void take_any() { any_ = true; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  static constexpr std::size_t most = 5;

  std::array<Waiting, most> few_;
  std::uint8_t count_ = 0;
  bool crowded_[2] = {false, false};  ///< receives, messages: some are in the crowd
  bool any_ = false;                  ///< a receive of this rank takes any source or tag
};
static_assert(sizeof(Few) == 64);

}  // namespace orrery::replay::loggops
