// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

// What two simulators draw alike: the systems of bench_solver.

class Draw {
 public:
  std::uint32_t below(std::uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_ = 1;
};

struct Pair {
  std::uint32_t from, to;
};

/// Between which of side³ nodes a flow goes. PATTERN: random; neighbours, the first flows of all nodes to the next one,
/// the second to the one after it; reversal, to the node with the same coordinates in reversed order (a transposition);
/// incast, to one of 16 nodes.
inline Pair draw_pair(std::string_view pattern, std::uint32_t flow, std::uint32_t side, std::uint32_t nodes,
                      Draw& draw) {
  if (pattern == "neighbours") return {flow % nodes, (flow % nodes + 1 + flow / nodes) % nodes};
  if (pattern == "reversal") {
    const std::uint32_t from = flow % nodes;
    const std::uint32_t to = (from % side * side + from / side % side) * side + from / side / side % side;
    return {from, to == from ? (from + 1) % nodes : to};
  }
  const std::uint32_t from = draw.below(nodes);
  if (pattern == "incast") {
    const std::uint32_t to = flow % 16 * (nodes / 16);
    return {from == to ? (from + 1) % nodes : from, to};
  }
  return {from, (from + 1 + draw.below(nodes - 1)) % nodes};
}
