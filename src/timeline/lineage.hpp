// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::timeline {

/// From where each rank came to be where it is: the path backwards from now through all that it waited for, of which
/// the one of the rank that ends last is the critical path.
///
/// A rank that waited until t for another goes on from where the other was at t. So paths are branches of one tree,
/// grow at their ends, and a branch on which no rank is any more is forgotten. As paths that meet stay together, the
/// tree is hardly larger than its trunk.
class Lineage {
 public:
  using Place = std::uint32_t;
  static constexpr Place nowhere = UINT32_MAX;

  /// @param most places, beyond which short ones are joined with their neighbours
  explicit Lineage(std::size_t most = std::size_t{1} << 22) : most_(most) {}

  /// A rank that has not waited yet; held once.
  [[nodiscard]] Place start(std::uint32_t rank);
  /// Holds a place once more. @return the place
  Place hold(Place place);
  void release(Place place);
  /// `rank` goes on at `ns` from where `from` was then; held once.
  [[nodiscard]] Place follow(Place from, std::uint32_t rank, std::int64_t ns);

  struct Stay {
    std::uint32_t rank;
    std::int64_t begin_ns, end_ns;
  };
  /// The path to `place` at `end_ns`, in the order of time.
  [[nodiscard]] std::vector<Stay> path(Place place, std::int64_t end_ns) const;
  /// How many places became part of others.
  [[nodiscard]] std::uint64_t joined() const { return joined_; }

 private:
  struct Node {
    std::int64_t since_ns;
    std::uint32_t rank;
    std::uint32_t held;  ///< by ranks, by messages under way, by places that follow; 0: it is free
    Place before;        ///< of a free one: the next free one
  };

  Place add(const Node& node);
  void join();

  std::size_t most_, used_ = 0;
  std::vector<Node> nodes_;
  Place free_ = nowhere;
  std::uint64_t joined_ = 0;
};

}  // namespace orrery::timeline
