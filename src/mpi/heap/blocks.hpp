// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace orrery::mpi::heap {

/// A block of memory, and who asked for it.
struct Block {
  std::size_t bytes;
  const void* caller;
};

/// Blocks by their addresses. It allocates nothing, as it is part of the allocator; it has room for 32,768 of them, as
/// many as a process may have mappings, nearly.
class Blocks {
 public:
  /// @return false: there is no room
  bool add(void* first, const Block& block) {
    const Held held(lock_);
    for (std::size_t i = place(first), seen = 0; seen < room; i = (i + 1) % room, ++seen) {
      if (entries_[i].first != nullptr && entries_[i].first != gone()) continue;
      entries_[i] = {first, block};
      ++count_;
      return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<Block> find(void* first) {
    const Held held(lock_);
    const Entry* entry = look_up(first);
    return entry == nullptr ? std::nullopt : std::optional(entry->block);
  }

  [[nodiscard]] std::optional<Block> take(void* first) {
    const Held held(lock_);
    Entry* entry = look_up(first);
    if (entry == nullptr) return std::nullopt;
    // One that is followed by none may be free again; others are marked, so that those behind them are still found.
    entry->first =
        entries_[(static_cast<std::size_t>(entry - entries_.data()) + 1) % room].first == nullptr ? nullptr : gone();
    --count_;
    return entry->block;
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (const Entry& entry : entries_) {
      if (entry.first != nullptr && entry.first != gone()) visit(entry.first, entry.block);
    }
  }

 private:
  static constexpr std::size_t room = 32768;
  struct Entry {
    void* first;
    Block block;
  };
  class Held {
   public:
    explicit Held(std::atomic_flag& flag) : flag_(flag) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { flag_.clear(std::memory_order_release); }

   private:
    std::atomic_flag& flag_;
  };

  static void* gone() { return reinterpret_cast<void*>(1); }
  static std::size_t place(const void* first) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(first) >> 4) * 0x9e3779b97f4a7c15U >> 49);
  }
  [[nodiscard]] Entry* look_up(const void* first) {
    if (count_ == 0) return nullptr;
    for (std::size_t i = place(first), seen = 0; seen < room && entries_[i].first != nullptr;
         i = (i + 1) % room, ++seen) {
      if (entries_[i].first == first) return &entries_[i];
    }
    return nullptr;
  }

  std::atomic_flag lock_;
  std::size_t count_ = 0;
  std::array<Entry, room> entries_{};
};

}  // namespace orrery::mpi::heap
