// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "mpi/point_to_point/kept.hpp"
#include "mpi/point_to_point/payload.hpp"

namespace orrery::mpi {

/// A partitioned send and its receive, as both sides number them: every call that makes one counts for its ranks,
/// communicator and tag (MPI-4.1, section 4.2.1: they match in the order of these calls).
struct PairKey {
  std::int32_t source = 0;  ///< world rank
  op::CommId comm = 0;
  std::int32_t tag = 0;
  std::uint32_t pair = 0;
  friend bool operator==(const PairKey&, const PairKey&) = default;
};

/// Writes the key into a message, and reads it. Of the number of the pair the lower half has a field, the rest the
/// upper bits of the communicator, whose numbers do not need them: 2^28 pairs with one tag are told apart.
void address(const PairKey& key, channel::Message& head);
[[nodiscard]] PairKey key_of(const channel::Message& head);

/// Partitions that have arrived and that no receive has taken yet. Those of one pair stay in the order in which they
/// became ready, however many there are: a sender may be ahead by as many messages as the run has memory for.
class PartitionInbox {
 public:
  void arrived(const channel::Message& record);
  /// The oldest of a pair, or null.
  [[nodiscard]] Kept* oldest(const PairKey& key) const;
  /// Takes the oldest of a pair, which must be there.
  [[nodiscard]] Kept::Owner take(const PairKey& key);

  /// Whether payloads may still be with their senders; `fetch_ahead` reads them all.
  [[nodiscard]] bool has_unfetched() const { return has_unfetched_; }
  void fetch_ahead(Payloads& payloads);

 private:
  struct Hash {
    std::size_t operator()(const PairKey& key) const;
  };
  std::unordered_map<PairKey, KeptQueue, Hash> queues_;  ///< none is empty
  bool has_unfetched_ = false;
};

}  // namespace orrery::mpi
