// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/split_mix.hpp"
#include "placement/placement.hpp"

namespace orrery::placement {

/// A graph with weights; each edge stands in the rows of both of its ends.
struct Graph {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<std::uint32_t> peers;
  std::vector<double> weights;
  std::vector<std::uint32_t> sizes;  ///< by vertex: how many vertices of the original graph it stands for

  [[nodiscard]] std::uint32_t vertices() const { return static_cast<std::uint32_t>(sizes.size()); }
};

/// By vertex: whether it is on the second side.
using Sides = std::vector<std::uint8_t>;

[[nodiscard]] double cut_of(const Graph& graph, const Sides& sides);

/// Two sides, the first with exactly `first` vertices, with little weight between them; all sizes are 1.
///
/// Vertices are merged along heavy edges until few are left (multilevel coarsening), these are divided by growing one
/// side from a vertex, and at each step back vertices change sides, the best first, also where that is a loss for a
/// while (Fiduccia, Mattheyses 1982, doi:10.1109/DAC.1982.1585498; Karypis, Kumar 1998, doi:10.1137/S1064827595287997).
/// The best of several such divisions is given. Cost: O(edges · log vertices) for each. @throws Interrupted
[[nodiscard]] Sides bisect(const Graph& graph, std::uint32_t first, SplitMix& draw,
                           const std::atomic<bool>* stop = nullptr);

}  // namespace orrery::placement
