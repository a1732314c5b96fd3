// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/pipeline.hpp"

#include <algorithm>
#include <array>

#include "collective/parts/messages.hpp"

namespace orrery::collective {

op::Script tree_bcast(TreeNode node, Blocks segments, Region base) {
  Started sends(3);
  if (!node.is_root() && segments.count() > 0) co_yield receive_ahead(0, node.parent, segments.at(base, 0));
  for (int segment = 0; segment < segments.count(); ++segment) {
    if (!node.is_root()) {
      const int next = segment + 1;
      if (next < segments.count()) co_yield receive_ahead(next % 2, node.parent, segments.at(base, next));
      co_yield await_ahead(segment % 2);
    }
    for (const int child : node.children) co_yield sends.isend(child, segments.at(base, segment));
    co_yield sends.wait_all();
  }
}

op::Script tree_reduce(TreeNode node, Blocks segments, Region home, Region spare) {
  if (node.is_leaf() && !node.is_root()) {
    for (int segment = 0; segment < segments.count(); ++segment)
      co_yield send(node.parent, segments.at(input, segment));
    co_return;
  }
  co_yield copy(home, segments.all(input));
  if (node.is_leaf() || segments.count() == 0) co_return;
  const Bytes longest = std::max(segments.bytes(0), segments.bytes(segments.count() - 1));
  const std::array<Region, 2> places{spare, spare + longest};
  const auto children = static_cast<int>(node.children.size());
  const int arrivals = segments.count() * children;  // segment by segment, in each the children in their order
  const auto child = [&](int arrival) { return node.children[static_cast<std::size_t>(arrival % children)]; };
  const auto arrived = [&](int arrival) {
    return Slice{places[static_cast<std::size_t>(arrival % 2)], segments.bytes(arrival / children)};
  };
  co_yield receive_ahead(0, child(0), arrived(0));
  for (int arrival = 0; arrival < arrivals; ++arrival) {
    const int next = arrival + 1;
    if (next < arrivals) co_yield receive_ahead(next % 2, child(next), arrived(next));
    co_yield await_ahead(arrival % 2);
    const Slice combined = segments.at(home, arrival / children);
    co_yield combine(combined.region, arrived(arrival));
    if (next % children == 0 && !node.is_root()) co_yield send(node.parent, combined);
  }
}

}  // namespace orrery::collective
