// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/graph.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/fabric/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;
using namespace orrery::platform::example;

namespace {

/// Adds a cable: one link for each direction, named "ab" and "ba".
void join(GraphSpec& spec, std::uint32_t a, std::uint32_t b, double latency_s = 1) {
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    spec.edges.push_back({from, to, {static_cast<std::uint32_t>(spec.links.size())}});
    spec.links.push_back({spec.vertices[from].name + spec.vertices[to].name, {1e9}, {latency_s}});
  }
}

/// Nodes a, b, c, d on switches w, x, y, z in a ring; the cable between w and z is slow.
GraphSpec ring() {
  GraphSpec spec;
  for (const char* name : {"a", "b", "c", "d"}) spec.vertices.push_back({.name = name});
  for (const char* name : {"w", "x", "y", "z"}) spec.vertices.push_back({.name = name, .node = false});
  for (std::uint32_t i = 0; i < 4; ++i) join(spec, i, 4 + i);
  for (std::uint32_t i = 0; i < 3; ++i) join(spec, 4 + i, 5 + i);
  join(spec, 4, 7, 10);
  return spec;
}

std::string names(const Graph& graph, Node from, Node to) {
  std::string names;
  for (const std::uint32_t link : route(graph, from, to)) names += (names.empty() ? "" : " ") + graph.link_name(link);
  return names;
}

}  // namespace

TEST_CASE("routes of a graph take the fewest edges or the least latency") {
  GraphSpec spec = ring();
  CHECK(names(Graph(spec, "g", 4), 0, 3) == "aw wz zd");
  spec.routing = GraphRouting::LeastLatency;
  const Graph graph(spec, "g", 4);
  CHECK(names(graph, 0, 3) == "aw wx xy yz zd");
  CHECK(names(graph, 3, 0) == "dz zy yx xw wa");
  CHECK(names(graph, 0, 0).empty());
  CHECK(graph.longest_route() == 5);
}

TEST_CASE("among equal ways a graph takes the edge given first") {
  CHECK(names(Graph(ring(), "g", 4), 0, 2) == "aw wx xy yc");
  CHECK(names(Graph(ring(), "g", 4), 1, 3) == "bx xw wz zd");  // w - x was given before x - y
}

TEST_CASE("a pair of nodes may have a route of its own, which is nobody else's") {
  GraphSpec spec = ring();
  spec.links.push_back({"cable", {1e9}, {}});
  spec.routes.push_back({0, 2, {static_cast<std::uint32_t>(spec.links.size() - 1)}});
  const Graph graph(spec, "g", 4);
  CHECK(names(graph, 0, 2) == "cable");
  CHECK(names(graph, 2, 0) == "cy yx xw wa");
  CHECK(names(graph, 0, 1) == "aw wx xb");
}

TEST_CASE("edges may cross several links, and count as such") {
  GraphSpec spec = ring();
  spec.edges[0].links = {0, 0, 3};  // a to w
  spec.routing = GraphRouting::FewestLinks;
  CHECK(names(Graph(spec, "g", 4), 0, 1) == "aw aw xb wx xb");
}

TEST_CASE("nodes pass on what is for others, unless they do not") {
  GraphSpec line;
  for (const char* name : {"a", "b", "c"}) line.vertices.push_back({.name = name});
  join(line, 0, 1);
  join(line, 1, 2);
  CHECK(names(Graph(line, "g", 3), 0, 2) == "ab bc");
  line.nodes_forward = false;
  CHECK_THROWS_WITH(Graph(line, "g", 3), "g: no edges lead from \"a\" to \"c\"; add one, or a route");
}

TEST_CASE("two nodes may be joined by nothing but a cable") {
  GraphSpec pair;
  for (const char* name : {"a", "b"}) pair.vertices.push_back({.name = name});
  join(pair, 0, 1);
  CHECK(names(Graph(pair, "g", 2), 0, 1) == "ab");
}

TEST_CASE("routes alone are enough where every pair has one") {
  GraphSpec pair;
  for (const char* name : {"a", "b"}) pair.vertices.push_back({.name = name});
  pair.links.push_back({"cable", {1e9}, {}});
  pair.routes = {{0, 1, {0}}, {1, 0, {0}}};
  CHECK(names(Graph(pair, "g", 2), 1, 0) == "cable");
  pair.routes.pop_back();
  CHECK_THROWS_WITH(Graph(pair, "g", 2), "g: no edges lead from \"b\" to \"a\"; add one, or a route");
}

TEST_CASE("wide-area links begin at the gateway of a graph") {
  GraphSpec spec = ring();
  spec.gateway = 7;
  const Graph graph(spec, "g", 4);
  Links out, in;
  graph.leave(2, out);
  graph.enter(2, in);
  CHECK(graph.link_name(out.back()) == "yz");
  CHECK(graph.link_name(in.front()) == "zy");
}

TEST_CASE("a graph says what is wrong with it") {
  GraphSpec twice = ring();
  twice.vertices[1].name = "a";
  CHECK_THROWS_WITH(Graph(twice, "g", 4), "g: two vertices are called \"a\"; give each its own name");
  CHECK_THROWS_WITH(Graph(ring(), "g", 5), "g: has 4 nodes, not 5");
  GraphSpec far = ring();
  far.edges.push_back({0, 9, {}});
  CHECK_THROWS_AS(Graph(far, "g", 4), InputError);
}
