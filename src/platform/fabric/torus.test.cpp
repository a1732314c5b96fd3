// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/torus.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/fabric/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;
using namespace orrery::platform::example;

namespace {

Torus torus(const std::vector<std::uint32_t>& sizes, bool wraps = true, settings::TorusRouting routing = {},
            std::uint32_t nodes_per_router = 1) {
  return {{.sizes = sizes,
           .wraps = {wraps},
           .nodes_per_router = nodes_per_router,
           .bandwidth_bytes_per_s = 1e9,
           .latency_s = 1e-6,
           .routing = routing},
          "t"};
}

/// How many links lead from routers with a coordinate below `middle` of the last dimension to the others.
std::size_t cut(const Torus& torus, std::uint32_t middle) {
  std::size_t count = 0;
  for (std::uint32_t link = 0; link < torus.link_count(); ++link)
    count += torus.ends(link).from < middle && torus.ends(link).to >= middle;
  return count;
}

}  // namespace

TEST_CASE("a torus has a cable per router and dimension, but one less where a dimension has two routers") {
  const Torus t = torus({4, 3, 2});
  CHECK(t.switch_count() == 24);
  CHECK(t.link_count() == 2 * (24 + 24 + 12));
  CHECK(t.longest_route() == 2 + 1 + 1);
  CHECK(longest(t) == 4);
  CHECK(all_distinct(t));
  CHECK(all_lead(t));
}

TEST_CASE("a mesh has no cables round its edges") {
  const Torus mesh = torus({3, 3}, false);
  CHECK(mesh.link_count() == 2 * (2 * 3 + 2 * 3));
  CHECK(mesh.longest_route() == 4);
  CHECK(longest(mesh) == 4);
  CHECK(all_lead(mesh));
}

TEST_CASE("half of a torus is joined to the other by twice as many cables as half of a mesh") {
  CHECK(cut(torus({4, 4, 4}), 32) == 2 * 16);
  CHECK(cut(torus({4, 4, 4}, false), 32) == 16);
}

TEST_CASE("all links of a torus carry the same when all nodes send to all") {
  // A ring of n: each node sends n² / 4 steps (even n) or (n² − 1) / 4 in all, over 2n links; other dimensions multiply
  // senders and lines alike.
  for (const auto& [sizes, expected] :
       {std::pair{std::vector{4u, 4u}, 4u * 4 * 4 / 8}, std::pair{std::vector{5u, 5u, 5u}, 25u * 5 * 6 / 10}}) {
    for (const std::uint32_t load : load_of_all_pairs(torus(sizes))) REQUIRE(load == expected);
  }
}

TEST_CASE("routes go along the first dimension first, the shorter way round") {
  const Torus t = torus({5, 4});
  const Links links = route(t, 0, 4 + 5 * 1);  // from (0,0) to (4,1)
  REQUIRE(links.size() == 2);
  CHECK(t.link_name(links[0]) == "(0,0)-(4,0)");
  CHECK(t.link_name(links[1]) == "(4,0)-(4,1)");
}

TEST_CASE("in a random order of dimensions routes are as long and still lead there") {
  const Torus ordered = torus({3, 4, 5}), random = torus({3, 4, 5}, true, settings::TorusRouting::RandomOrder);
  CHECK(all_lead(random));
  int differ = 0;
  for_each_pair(random, [&](Node from, Node to) {
    REQUIRE(route(random, from, to).size() == route(ordered, from, to).size());
    differ += route(random, from, to) != route(ordered, from, to);
  });
  CHECK(differ > 1000);
}

TEST_CASE("several nodes may share a router, which joins them without links") {
  const Torus t = torus({3, 3}, true, {}, 2);
  CHECK(t.node_count() == 18);
  CHECK(route(t, 0, 1).empty());
  CHECK(t.switch_of(5) == 2);
  CHECK(all_lead(t));
}

TEST_CASE("wide-area links begin at the first router of a torus") {
  const Torus t = torus({4, 4});
  Links out, in;
  t.leave(10, out);
  t.enter(10, in);
  CHECK(leads(t, out, 10, 0));
  CHECK(leads(t, in, 0, 10));
}

TEST_CASE("a torus that cannot be is refused") {
  CHECK_THROWS_WITH(Torus({.sizes = {3, 4, 5}, .wraps = {true, false}, .bandwidth_bytes_per_s = 1e9}, "t"),
                    "t: has 2 values of wraps for 3 dimensions");
  CHECK_THROWS_WITH(Torus({.sizes = {3, 4}, .bandwidth_bytes_per_s = 1e9}, "t", 13),
                    "t: has room for 12 nodes, not for 13; make it larger");
  CHECK_THROWS_AS(torus({1u << 20, 1u << 20}), InputError);
  // 8 dimensions of 2^28 routers: 2^32 links, which 32 bits would count as none.
  CHECK_THROWS_WITH(torus({8, 8, 8, 8, 16, 16, 16, 16}),
                    "t: more than 268435456 nodes, switches or links; make it smaller");
}
