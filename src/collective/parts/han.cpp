// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/han.hpp"

#include <algorithm>

#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// The rank whose block comes at this position if blocks are ordered by nodes.
int rank_at(const Nodes& nodes, const Team& up, int position) {
  const auto per_node = nodes.size() / up.size();
  const int node = nodes.of(up.ranks[static_cast<std::size_t>(position / per_node)]);
  return nodes.on(node)[static_cast<std::size_t>(position % per_node)];
}

}  // namespace

HanLevel::HanLevel(const Call& call, const Team& team, const Blocks& segments, CollectiveKind kind, bool immediate)
    : team_(team),
      last_(segments.count() - 1),
      full_(call, team, kind, segments.count() > 0 ? segments.bytes(0) : Bytes{}, openmpi5_choice, immediate),
      last_call_(call, team, kind, last_ >= 0 ? segments.bytes(last_) : Bytes{}, openmpi5_choice, immediate) {}

op::Script HanLevel::stream(int segment, const Placed& buffers) const { return call(segment).stream(team_, buffers); }

Bytes HanLevel::scratch() const { return {std::max(full_.scratch(), last_call_.scratch())}; }

op::Script blocks_from_nodes(const Nodes& nodes, Team up, Region by_node, Region by_rank, Bytes block) {
  for (int position = 0; position < nodes.size(); ++position) {
    const int rank = rank_at(nodes, up, position);
    co_yield copy(by_rank + block * rank, {by_node + block * position, block});
  }
}

op::Script blocks_to_nodes(const Nodes& nodes, Team up, Region by_rank, Region by_node, Bytes block) {
  for (int position = 0; position < nodes.size(); ++position) {
    const int rank = rank_at(nodes, up, position);
    co_yield copy(by_node + block * position, {by_rank + block * rank, block});
  }
}

}  // namespace orrery::collective
