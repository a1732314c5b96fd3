// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

namespace {

/// The root hands the first half to its first child and the second to its second, segment by segment in turn.
op::Script serve_halves(TreeNode node, std::array<Blocks, 2> segments, std::array<Region, 2> halves) {
  for (int segment = 0; segment < segments[0].count(); ++segment) {
    for (std::size_t half = 0; half < node.children.size(); ++half) {
      if (segment < segments[half].count())
        co_yield send(node.children[half], segments[half].at(halves[half], segment));
    }
  }
}

/// The vector in halves, of which the first may be an element longer.
std::array<Slice, 2> halves_of(const Call& call) {
  const std::int64_t elements = elements_of(call);
  const Slice first{output, {(elements - elements / 2) * call.element}};
  return {first, {output + first.bytes, call.bytes - first.bytes}};
}

/// The segments that each half is cut into.
Bytes wanted_segment(const Call& call) {
  return call.segment.count > 0 ? Bytes{std::max(call.segment.count, call.element)} : Bytes{0};
}

}  // namespace

HandOver split_binary_tree_hands_over(const Call& call) {
  const Bytes shorter = halves_of(call)[1].bytes;
  if (call.size < 2) return {};
  if (shorter.count == 0) return {"pipeline", "a vector of fewer than two elements has no halves"};
  return wanted_segment(call) > shorter ? HandOver{"pipeline", "half of the vector is shorter than a segment"}
                                        : HandOver{};
}

/// Stream of one rank in a broadcast in which each half of the vector goes down one half of a binary tree, in segments;
/// then ranks of the two halves, neighbours by rank, exchange what they have. Any size and root; a vector that cannot
/// be split, or whose halves are shorter than a segment, goes along a pipeline. p = 5, halves a, b:
///     0→1 a 0→2 b | 1→3 a 2→4 b | 1↔2 3↔4
/// Cost, s segments in a half: (log2 p + s − 1) · 2(α + n/2s · β) + α + n/2 · β, n in bytes.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script split_binary_tree(Call call) {
  const FromRoot ranks{call.size, call.root};
  if (call.size < 2) co_return;
  if (split_binary_tree_hands_over(call)) {
    co_yield pipeline(call);
    co_return;
  }
  const Bytes wanted = wanted_segment(call);
  const std::array<Slice, 2> halves = halves_of(call);
  const auto segments = [&](std::size_t half) { return Blocks::segments(halves[half].bytes, call.element, wanted); };
  const TreeNode node = collective::binary_tree(call.self, ranks);
  const int relative = ranks.relative(call.self);
  const std::size_t own = relative % 2 == 1 ? 0 : 1;
  if (node.is_root()) {
    co_yield serve_halves(node, {segments(0), segments(1)}, {halves[0].region, halves[1].region});
  } else {
    co_yield tree_bcast(node, segments(own), halves[own].region);
  }
  // Relative ranks 1 and 2, 3 and 4, ... are partners; where the last one has none, the root stands in.
  const bool last_is_alone = call.size % 2 == 0;
  if (last_is_alone && node.is_root()) co_yield send(ranks.rank(call.size - 1), halves[1]);
  if (node.is_root()) co_return;
  if (last_is_alone && relative == call.size - 1) {
    co_yield recv(call.root, halves[1]);
  } else {
    const int partner = ranks.rank(own == 0 ? relative + 1 : relative - 1);
    co_yield exchange(partner, halves[own], partner, halves[1 - own]);
  }
}

}  // namespace orrery::collective::bcast
