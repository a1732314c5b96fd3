// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "placement/parts.hpp"

namespace orrery::placement {

namespace {

void check_tree(const Tree& tree, std::uint32_t ranks) {
  if (tree.empty()) throw InputError("a platform to place ranks on needs a part");
  std::vector<bool> has_parts(tree.size(), false);
  for (std::uint32_t part = 1; part < tree.size(); ++part) {
    if (tree[part].parent >= part) throw InputError(concat("part ", part, ": its parent is not before it"));
    has_parts[tree[part].parent] = true;
  }
  std::uint64_t slots = 0;
  for (std::uint32_t part = 0; part < tree.size(); ++part) {
    const Part& of_part = tree[part];
    if (has_parts[part] && of_part.slots > 0) throw InputError(concat("part ", part, ": has both parts and slots"));
    for (const double value : {of_part.message_s, of_part.byte_s, of_part.border_byte_s})
      if (!(std::isfinite(value) && value >= 0)) throw InputError(concat("part ", part, ": ", value, " is no time"));
    slots += of_part.slots;
  }
  if (slots < ranks) throw InputError(concat("there are ", ranks, " ranks, and room for ", slots));
}

void check_row(const Traffic& traffic, std::uint32_t rank) {
  for (std::uint32_t e = traffic.offsets[rank]; e < traffic.offsets[rank + 1]; ++e) {
    if (traffic.peers[e] >= traffic.ranks()) throw InputError(concat("row ", rank, ": no rank ", traffic.peers[e]));
    for (const double value : {traffic.messages[e], traffic.bytes[e]})
      if (!(std::isfinite(value) && value >= 0)) throw InputError(concat("row ", rank, ": ", value, " is no amount"));
  }
}

}  // namespace

void check(const Traffic& traffic, const Tree& tree) {
  const std::size_t entries = traffic.peers.size();
  if (traffic.offsets.empty() || traffic.offsets.front() != 0 || traffic.offsets.back() != entries ||
      !std::is_sorted(traffic.offsets.begin(), traffic.offsets.end()) || traffic.messages.size() != entries ||
      traffic.bytes.size() != entries)
    throw InputError("the rows of the matrix do not fit its entries");
  for (std::uint32_t rank = 0; rank < traffic.ranks(); ++rank) check_row(traffic, rank);
  check_tree(tree, traffic.ranks());
}

std::vector<double> crossing_bytes(const Traffic& traffic, const Parts& parts, const Mapping& mapping) {
  std::vector<double> crossing(parts.number(), 0);
  for (std::uint32_t rank = 0; rank < traffic.ranks(); ++rank) {
    const std::uint32_t here = mapping[rank];
    for (std::uint32_t e = traffic.offsets[rank]; e < traffic.offsets[rank + 1]; ++e) {
      const std::uint32_t common = parts.common_depth(here, mapping[traffic.peers[e]]);
      for (std::uint32_t depth = common + 1; depth <= parts.depth(here); ++depth)
        crossing[parts.around(here, depth)] += traffic.bytes[e];
    }
  }
  return crossing;
}

Cost cost(const Traffic& traffic, const Tree& tree, const Mapping& mapping) {
  const Parts parts(tree);
  double twice_s = 0;
  for (std::uint32_t rank = 0; rank < traffic.ranks(); ++rank) {
    for (std::uint32_t e = traffic.offsets[rank]; e < traffic.offsets[rank + 1]; ++e) {
      twice_s += pair_s(traffic, e, tree[parts.common(mapping[rank], mapping[traffic.peers[e]])]);
    }
  }
  Cost found{.pairs_s = twice_s / 2 / std::max(1U, traffic.ranks())};
  const std::vector<double> crossing = crossing_bytes(traffic, parts, mapping);
  for (std::uint32_t part = 0; part < tree.size(); ++part)
    found.busiest_s = std::max(found.busiest_s, crossing[part] * tree[part].border_byte_s);
  return found;
}

}  // namespace orrery::placement
