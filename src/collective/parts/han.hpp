// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/openmpi_rules.hpp"
#include "collective/parts/segment.hpp"
#include "collective/parts/team.hpp"

/// What the algorithms of Open MPI's component `han` have in common: all ranks of a node are at work for the leaders,
/// which are those at the root's place of their nodes; other components make the parts.
namespace orrery::collective {

/// It cuts vectors into segments of this size, and has one on its way between nodes while another one is inside them.
inline constexpr Bytes han_segment{65536};

[[nodiscard]] inline Blocks han_segments(Call call) {
  call.segment = han_segment;
  return segments_of(call);
}

/// One level of a call with segments: what `team` does with each of them.
class HanLevel {
 public:
  HanLevel(const Call& call, const Team& team, const Blocks& segments, CollectiveKind kind, bool immediate);

  [[nodiscard]] op::Script stream(int segment, const Placed& buffers) const;
  /// Scratch memory that a segment needs at most.
  [[nodiscard]] Bytes scratch() const;

 private:
  [[nodiscard]] const TeamCall& call(int segment) const { return segment == last_ ? last_call_ : full_; }

  Team team_;
  int last_;
  TeamCall full_, last_call_;
};

/// A call of one piece among a team.
[[nodiscard]] inline TeamCall han_call(const Call& whole, const Team& team, CollectiveKind kind, Bytes bytes) {
  return {whole, team, kind, bytes, openmpi5_choice};
}

/// Copies the blocks of all ranks between their order and that of nodes: `by_node` has them node by node.
[[nodiscard]] op::Script blocks_from_nodes(const Nodes& nodes, Team up, Region by_node, Region by_rank, Bytes block);
[[nodiscard]] op::Script blocks_to_nodes(const Nodes& nodes, Team up, Region by_rank, Region by_node, Bytes block);

}  // namespace orrery::collective
