// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "collective/collective.hpp"
#include "collective/parts/stage.hpp"

/// Libraries' compositions for several ranks on a node are calls among the ranks of a node, and among ranks at one
/// place of all nodes.
namespace orrery::collective {

/// Some ranks of a call, which make another one.
struct Team {
  std::span<const int> ranks;
  int self = 0;  ///< position of this rank
  int root = 0;  ///< position

  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] bool is_root() const { return self == root; }
};

/// This rank's node, and the ranks at the same place of all nodes; in both the root is nearest to that of the call.
struct TwoLevels {
  /// @param root of the call   @pre `Call::places` knows of nodes
  TwoLevels(const Call& call, int root);

  const Nodes* nodes;
  Team low;
  Team up;
  bool leads;  ///< this rank's place is the root's, so that it takes part in what goes on between nodes
};

/// Who chooses for the parts where `Call::parts` is not set.
using Choose = Choice (*)(const Call&);

/// A call among a team, and what it is made by.
struct TeamCall {
  Call call;
  Choice choice;

  /// @param immediate a non-blocking one
  TeamCall(const Call& whole, const Team& team, CollectiveKind kind, Bytes bytes, Choose otherwise,
           bool immediate = false);
  /// The stream of this rank. @pre `team` is the same
  [[nodiscard]] op::Script stream(const Team& team, const Placed& buffers) const;
  [[nodiscard]] std::int64_t scratch() const { return scratch_bytes(*choice.algorithm, choice.applied_to(call)); }
};

/// One script after the other.
[[nodiscard]] op::Script both(op::Script first, op::Script second);

/// Goes on with each of the scripts as its messages come, as a rank does that starts one or two non-blocking calls,
/// makes another one, and waits. Messages of `first` and `second` are told apart, those of `meanwhile` must go between
/// other ranks. To a reader that does not say what is complete, `meanwhile` is the first to go on.
[[nodiscard]] op::Script overlap(op::Script first, op::Script second, op::Script meanwhile);

/// Goes on with any number of scripts as their messages come. Those of each are told apart, so all ranks that take part
/// in one must have it at the same position.
[[nodiscard]] op::Script at_once(std::vector<op::Script> scripts);

/// Bytes that MPI_INT has, in which libraries tell each other what is needed.
inline constexpr Bytes int_bytes{4};

}  // namespace orrery::collective
