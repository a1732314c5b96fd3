// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/root.hpp"
#include "collective/parts/slice.hpp"
#include "collective/places.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Where the buffers of a call lie that is part of another one.
struct Placed {
  Region input = collective::input;
  Region output = collective::output;
  Region scratch = collective::scratch;
};

/// Who makes a call that is part of another one: the ranks listed; or rank i is the master of subgroup i of a group;
/// without list and grouping, all ranks do.
struct Members {
  const Grouping* grouping = nullptr;
  int group = 0;
  int root = 0;  ///< of the whole call
  std::span<const int> ranks = {};

  [[nodiscard]] int rank(int i) const {
    if (!ranks.empty()) return ranks[static_cast<std::size_t>(i)];
    return grouping == nullptr ? i : grouping->master(grouping->group(group).first_child + i, root);
  }
};

/// The stream of another call, with its buffers at the places given, among the members. A copy of what is in its place
/// already is left out.
[[nodiscard]] op::Script embed(op::Script part, Placed buffers, Members members = {});

/// The stream of another call, whose ranks are relative ones.
[[nodiscard]] op::Script renumbered(op::Script part, FromRoot ranks);

}  // namespace orrery::collective
