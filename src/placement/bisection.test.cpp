// SPDX-License-Identifier: BSD-3-Clause
#include "placement/bisection.hpp"

#include <algorithm>
#include <utility>

#include "catch.hpp"

using namespace orrery;
using namespace orrery::placement;

namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// All edges weigh 1.
Graph graph_of(std::uint32_t vertices, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::uint32_t>> rows(vertices);
  for (const auto& [a, b] : edges) {
    rows[a].push_back(b);
    rows[b].push_back(a);
  }
  Graph graph;
  graph.sizes.assign(vertices, 1);
  for (const auto& row : rows) {
    graph.peers.insert(graph.peers.end(), row.begin(), row.end());
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.peers.size()));
  }
  graph.weights.assign(graph.peers.size(), 1);
  return graph;
}

/// A grid whose vertices have numbers that say nothing of where they are.
Graph grid(std::uint32_t width, std::uint32_t height) {
  const std::uint32_t all = width * height, step = 5;  // prime to all sizes here
  const auto number = [&](std::uint32_t x, std::uint32_t y) { return (y * width + x) * step % all; };
  std::vector<Edge> edges;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      if (x + 1 < width) edges.emplace_back(number(x, y), number(x + 1, y));
      if (y + 1 < height) edges.emplace_back(number(x, y), number(x, y + 1));
    }
  return graph_of(all, edges);
}

std::uint32_t on_first(const Sides& sides) {
  return static_cast<std::uint32_t>(std::count(sides.begin(), sides.end(), 0));
}

}  // namespace

TEST_CASE("a grid is cut across its shorter way") {
  // 16 x 12 in halves: 12 edges; a quarter of 8 x 8 is cut off along 8.
  SplitMix draw(1);
  const Graph wide = grid(16, 12);
  const Sides half = bisect(wide, 96, draw);
  CHECK(on_first(half) == 96);
  CHECK(cut_of(wide, half) == 12);
  const Graph square = grid(8, 8);
  const Sides quarter = bisect(square, 16, draw);
  CHECK(on_first(quarter) == 16);
  CHECK(cut_of(square, quarter) == 8);
}

TEST_CASE("clusters that fit stay whole, and of those that do not fit one is cut") {
  // Three groups of 8 that all know each other, in halves of 12: one group is cut into 4 and 4, which are 16 edges.
  std::vector<Edge> edges;
  for (std::uint32_t a = 0; a < 24; ++a)
    for (std::uint32_t b = a + 3; b < 24; b += 3) edges.emplace_back(a, b);
  SplitMix draw(1);
  const Graph graph = graph_of(24, edges);
  const Sides sides = bisect(graph, 12, draw);
  CHECK(on_first(sides) == 12);
  CHECK(cut_of(graph, sides) == 16);
}

TEST_CASE("sides have exactly the sizes that are wanted, whatever the graph") {
  for (std::uint32_t vertices : {1U, 2U, 3U, 50U, 97U, 300U}) {
    std::vector<Edge> edges;
    for (std::uint32_t v = 1; v < vertices; v += 2) edges.emplace_back(v, v * v % 7 % v);
    const Graph graph = graph_of(vertices, edges);
    for (const std::uint32_t first : {0U, 1U, vertices / 3, vertices - 1, vertices}) {
      SplitMix draw(vertices);
      INFO(vertices << " " << first);
      CHECK(on_first(bisect(graph, first, draw)) == first);
    }
  }
}

TEST_CASE("the same seed gives the same sides") {
  const Graph graph = grid(9, 13);
  SplitMix draw(3), other(3);
  CHECK(bisect(graph, 50, draw) == bisect(graph, 50, other));
}
