// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mpi/point_to_point/kept.hpp"
#include "mpi/point_to_point/payload.hpp"

namespace orrery::mpi {

/// Who awaits messages of one collective call is handed them as they come, without a copy in between.
class CollectiveListener {
 public:
  virtual ~CollectiveListener() = default;
  [[nodiscard]] virtual bool listens_to(op::CommId comm, std::int32_t call, std::uint32_t part) const = 0;
  enum class Delivery : std::uint8_t {
    Refused,  ///< it is for a later call of the same number
    Kept,     ///< its payload will be read later
    Read,
  };
  /// Must not post messages.
  [[nodiscard]] virtual Delivery deliver(const channel::Message& record) = 0;
  /// Reads the payloads of what it keeps, so that their senders can go.
  virtual void fetch_ahead(Payloads& payloads) = 0;
};

/// Messages of collective calls that have arrived and nobody listens to yet, by who sent them for which call.
class CollectiveInbox {
 public:
  struct Key {
    std::int32_t source;
    op::CommId comm;
    std::int32_t call;
    std::uint32_t part;
    friend bool operator==(const Key&, const Key&) = default;
  };

  void add(CollectiveListener& listener) { listeners_.push_back(&listener); }
  void remove(CollectiveListener& listener) { std::erase(listeners_, &listener); }

  void arrived(const channel::Message& record);
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  /// Whether payloads may still be with their senders; `fetch_ahead` reads them all.
  [[nodiscard]] bool has_unfetched() const { return has_unfetched_; }
  void fetch_ahead(Payloads& payloads);
  [[nodiscard]] Kept* find(const Key& key);
  [[nodiscard]] Kept::Owner remove(Kept& kept);

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::vector<CollectiveListener*> listeners_;
  std::unordered_multimap<Key, Kept::Owner, Hash> messages_;
  bool has_unfetched_ = false;
};

}  // namespace orrery::mpi
