// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "op/op.hpp"
#include "timeline/lineage.hpp"

namespace orrery::timeline {

/// Sends and receives under way. Messages between the same ranks with the same communicator and tag do not overtake
/// each other: the n-th receive takes the n-th send.
///
/// Each side of a message is kept until both are over. Memory: 80 bytes for each side under way, and about 100 for each
/// pair of ranks, communicator and tag that has any, or is among the last 65,536.
class Matching {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = UINT32_MAX;

  struct Side {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t bytes = 0;
    std::uint64_t operation = 0;     ///< in which it began, in the stream of its rank
    std::uint64_t completed_by = 0;  ///< of a receive that is over: the operation after which it was
    std::uint32_t rank = 0;          ///< whose it is
    std::int32_t peer = 0, tag = 0;  ///< of receives perhaps any
    op::CommId comm = 0;
    Lineage::Place place = Lineage::nowhere;  ///< of the rank at `begin_ns`; held
    Number other = none;                      ///< once it is matched
    Number next = none;                       ///< behind it in its channel
    std::uint16_t pair = 0;  ///< of partitioned messages: which of the same ranks, communicator and tag, + 1
    bool is_send = false;
    bool assigned = false;               ///< it has its place in a channel, or the other side
    bool over = false;                   ///< its rank knows that it is complete
    bool withdrawn = false;              ///< a receive that was cancelled
    bool timed = true;                   ///< the trace says when a send began, when a receive was over
    op::Mode mode = op::Mode::Standard;  ///< of a send
  };

  explicit Matching(Lineage& lineage) : lineage_(lineage) {}

  [[nodiscard]] Side& at(Number side) { return sides_[side]; }
  [[nodiscard]] Number add(const Side& side);
  /// Looks for the other side; waits for it in the channel if it has not come. Its peer and tag are known.
  void assign(Number side);
  /// The first send that waits for a receive like this; none: there is none
  [[nodiscard]] Number waiting_for(const Side& receive) const;
  /// Forgets a side that is over, with the other one, once that is over as well.
  void forget(Number side);

  struct Left {
    std::uint64_t sends = 0, receives = 0;
  };
  /// Sides that were not matched, but for receives that never ended.
  [[nodiscard]] Left left() const;

 private:
  struct Key {
    std::uint32_t from, to;
    op::CommId comm;
    std::int32_t tag;
    std::uint16_t pair;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = std::uint64_t{key.from} << 32 | key.to;
      hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
      hash ^= std::uint64_t{key.comm} << 32 | static_cast<std::uint32_t>(key.tag);
      hash = (hash ^ hash >> 32) * 0x94d049bb133111ebu + key.pair;
      return hash ^ hash >> 31;
    }
  };
  struct Channel {
    Number first = none, last = none;
  };

  static Key key_of(const Side& side);
  void free(Number side);
  void sweep();

  Lineage& lineage_;
  std::vector<Side> sides_;
  std::vector<Number> free_;
  std::unordered_map<Key, Channel, Hash> channels_;
  std::size_t sweep_at_ = std::size_t{1} << 16;  ///< this many channels
};

}  // namespace orrery::timeline
