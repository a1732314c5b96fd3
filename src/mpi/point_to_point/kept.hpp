// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "mpi/channel/channel.hpp"
#include "mpi/point_to_point/tag_lists.hpp"

namespace orrery::mpi {

/// Memory for a payload. A large one is no part of the program's heap: there it would keep what the program has freed
/// around it from going back to the system, in every rank, and all of them share one machine.
class PayloadMemory {
 public:
  PayloadMemory() = default;
  /// @throws std::bad_alloc
  explicit PayloadMemory(std::size_t bytes);
  PayloadMemory(PayloadMemory&& other) noexcept;
  PayloadMemory& operator=(PayloadMemory&& other) noexcept;
  ~PayloadMemory();

  /// Null: there is none.
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0;  ///< bytes; 0: it is of the heap
};

struct Kept;
[[nodiscard]] int tag_of(const Kept& kept);

/// A message that has left the inbox and waits for someone to want it. An inline payload follows the object.
struct Kept {
  Kept* next = nullptr;
  Kept* previous = nullptr;
  TagLinks<Kept> tag_links;
  channel::Message head{};
  PayloadMemory fetched;  ///< payload that was read from its sender before anyone wanted it

  struct Delete {
    void operator()(Kept* kept) const;
  };
  using Owner = std::unique_ptr<Kept, Delete>;

  /// A copy of a record in the inbox.
  [[nodiscard]] static Owner copy_of(const channel::Message& record);
  /// A message with this head (but Form::Inline) and room for `payload_bytes`.
  [[nodiscard]] static Owner with_payload(const channel::Message& head, std::int64_t payload_bytes);

  [[nodiscard]] std::byte* payload() {
    return fetched.data() != nullptr ? fetched.data() : reinterpret_cast<std::byte*>(this + 1);
  }
};

inline int tag_of(const Kept& kept) { return kept.head.tag; }

/// The payload of a record in the inbox, if it is inline.
[[nodiscard]] inline const std::byte* inline_payload(const channel::Message& record) {
  return reinterpret_cast<const std::byte*>(&record + 1);
}

/// Copies all but `size`, which belongs to the inbox.
void copy_head(const channel::Message& from, channel::Message& to);

/// A queue of kept messages in the order of their arrival.
class KeptQueue {
 public:
  KeptQueue() = default;
  KeptQueue(const KeptQueue&) = delete;
  KeptQueue& operator=(const KeptQueue&) = delete;
  ~KeptQueue();

  void append(Kept::Owner kept);
  /// Behind the last message of a smaller sequence number.
  void insert_by_sequence(Kept::Owner kept);
  [[nodiscard]] Kept::Owner remove(Kept& kept);
  [[nodiscard]] bool empty() const { return queue_.first() == nullptr; }
  /// The first message of this tag, or of any; null if there is none.
  [[nodiscard]] Kept* first_of_tag(int tag);
  /// The first message for which `wanted(head)`, or null.
  template <class Wanted>
  [[nodiscard]] Kept* find(Wanted&& wanted) const {
    for (Kept* kept = queue_.first(); kept != nullptr; kept = kept->next) {
      if (wanted(kept->head)) return kept;
    }
    return nullptr;
  }
  template <class Do>
  void for_each(Do&& act) const {
    for (Kept* kept = queue_.first(); kept != nullptr; kept = kept->next) act(*kept);
  }

 private:
  TagQueue<Kept> queue_;
};

}  // namespace orrery::mpi
