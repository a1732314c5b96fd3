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
void join(settings::Graph& spec, const std::string& a, const std::string& b, double latency_s = 1) {
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    spec.links.push_back({.name = from + to,
                          .bandwidth_bytes_per_s = 1e9,
                          .latency_s = latency_s,
                          .sharing = settings::Sharing::Shared});
    spec.edges.push_back({.between = {from, to}, .links = {from + to}, .one_way = true});
  }
}

/// Nodes a, b, c, d on switches w, x, y, z in a ring; the cable between w and z is slow.
settings::Graph ring() {
  settings::Graph spec{.nodes = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}},
                       .switches = {"w", "x", "y", "z"}};
  for (const char* ends : {"aw", "bx", "cy", "dz", "wx", "xy", "yz"}) join(spec, {ends[0]}, {ends[1]});
  join(spec, "w", "z", 10);
  return spec;
}

/// A cable that is an edge of no route but its own.
settings::GraphLink cable() {
  return {.name = "cable", .bandwidth_bytes_per_s = 1e9, .sharing = settings::Sharing::Shared};
}

std::string names_of_path(const Graph& graph, Node from, Node to) {
  std::string names;
  for (const std::uint32_t link : route(graph, from, to)) names += (names.empty() ? "" : " ") + graph.link_name(link);
  return names;
}

}  // namespace

TEST_CASE("routes of a graph take the fewest edges or the least latency") {
  settings::Graph spec = ring();
  CHECK(names_of_path(Graph(spec, "g", 4), 0, 3) == "aw wz zd");
  spec.routing = settings::GraphRouting::LeastLatency;
  const Graph graph(spec, "g", 4);
  CHECK(names_of_path(graph, 0, 3) == "aw wx xy yz zd");
  CHECK(names_of_path(graph, 3, 0) == "dz zy yx xw wa");
  CHECK(names_of_path(graph, 0, 0).empty());
  CHECK(graph.longest_route() == 5);
}

TEST_CASE("among equal ways a graph takes the edge given first") {
  CHECK(names_of_path(Graph(ring(), "g", 4), 0, 2) == "aw wx xy yc");
  CHECK(names_of_path(Graph(ring(), "g", 4), 1, 3) == "bx xw wz zd");  // w - x was given before x - y
}

TEST_CASE("a pair of nodes may have a route of its own, which is nobody else's") {
  settings::Graph spec = ring();
  spec.links.push_back(cable());
  spec.routes.push_back({.between = {"a", "c"}, .links = {"cable"}, .one_way = true});
  const Graph graph(spec, "g", 4);
  CHECK(names_of_path(graph, 0, 2) == "cable");
  CHECK(names_of_path(graph, 2, 0) == "cy yx xw wa");
  CHECK(names_of_path(graph, 0, 1) == "aw wx xb");
}

TEST_CASE("edges may cross several links, and count as such") {
  settings::Graph spec = ring();
  spec.edges[0].links = {"aw", "aw", "xb"};  // a to w
  spec.routing = settings::GraphRouting::FewestLinks;
  CHECK(names_of_path(Graph(spec, "g", 4), 0, 1) == "aw aw xb wx xb");
}

TEST_CASE("nodes pass on what is for others, unless they do not") {
  settings::Graph line{.nodes = {{.name = "a"}, {.name = "b"}, {.name = "c"}}};
  join(line, "a", "b");
  join(line, "b", "c");
  CHECK(names_of_path(Graph(line, "g", 3), 0, 2) == "ab bc");
  line.nodes_forward = false;
  CHECK_THROWS_WITH(Graph(line, "g", 3), "g: no edges lead from \"a\" to \"c\"; add one, or a route");
}

TEST_CASE("two nodes may be joined by nothing but a cable") {
  settings::Graph pair{.nodes = {{.name = "a"}, {.name = "b"}}};
  join(pair, "a", "b");
  CHECK(names_of_path(Graph(pair, "g", 2), 0, 1) == "ab");
}

TEST_CASE("routes alone are enough where every pair has one") {
  settings::Graph pair{.nodes = {{.name = "a"}, {.name = "b"}}, .links = {cable()}};
  pair.routes = {{.between = {"a", "b"}, .links = {"cable"}}};
  CHECK(names_of_path(Graph(pair, "g", 2), 1, 0) == "cable");
  pair.routes[0].one_way = true;
  CHECK_THROWS_WITH(Graph(pair, "g", 2), "g: no edges lead from \"b\" to \"a\"; add one, or a route");
}

TEST_CASE("a route of one pair is none of its neighbours'") {
  settings::Graph spec{.nodes = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}}, .switches = {"s", "t"}};
  for (const char* ends : {"as", "bs", "ct", "dt"}) join(spec, {ends[0]}, {ends[1]});
  spec.links.push_back(cable());
  spec.routes = {{.between = {"b", "d"}, .links = {"cable"}}};
  CHECK_THROWS_WITH(Graph(spec, "g", 4), "g: no edges lead from \"a\" to \"c\"; add one, or a route");
  for (const char* ends : {"ac", "ad", "bc"})
    spec.routes.push_back({.between = {{ends[0]}, {ends[1]}}, .links = {"cable"}});
  CHECK(names_of_path(Graph(spec, "g", 4), 2, 0) == "cable");
}

TEST_CASE("wide-area links begin at the gateway of a graph") {
  settings::Graph spec = ring();
  spec.gateway = "z";
  const Graph graph(spec, "g", 4);
  Links out, in;
  graph.leave(2, out);
  graph.enter(2, in);
  CHECK(graph.link_name(out.back()) == "yz");
  CHECK(graph.link_name(in.front()) == "zy");
}

TEST_CASE("a duplex link is two, and the way back takes the other one") {
  const settings::GraphLink up{.name = "up", .bandwidth_bytes_per_s = 1e9, .between = {{"a", "s"}}};
  const settings::GraphLink bus{.name = "bus", .bandwidth_bytes_per_s = 1e9, .sharing = settings::Sharing::Unshared};
  const settings::GraphLink far{.name = "far", .bandwidth_bytes_per_s = 1e9};
  const Graph graph({.nodes = {{.name = "a"}, {.name = "b"}},
                     .switches = {"s"},
                     .links = {up, bus, far},
                     .edges = {{.between = {"s", "b"}, .links = {"bus", "far:down"}}}},
                    "g");
  CHECK(names_of_path(graph, 0, 1) == "up:up bus far:down");
  CHECK(names_of_path(graph, 1, 0) == "far:up bus up:down");
  CHECK(graph.link_cost(0).shared);
  CHECK_FALSE(graph.link_cost(2).shared);
}

TEST_CASE("a graph says what is wrong with it") {
  settings::Graph twice = ring();
  twice.nodes[1].name = "a";
  CHECK_THROWS_WITH(Graph(twice, "g", 4), "g: two vertices are called \"a\"; give each its own name");
  CHECK_THROWS_WITH(Graph(ring(), "g", 5), "g: has 4 nodes, not 5");
  settings::Graph far = ring();
  far.edges.push_back({.between = {"a", "v"}});
  CHECK_THROWS_WITH(Graph(far, "g", 4), "g: none of its vertices is called \"v\"");
}
