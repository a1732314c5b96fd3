// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/fat_tree.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/fabric/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;
using namespace orrery::platform::example;

namespace {

/// Switches of 8 ports in three levels, all ports used: k = 8, 128 nodes.
settings::FatTree full(settings::FatTreeRouting routing) {
  return {.nodes_per_leaf = 4,
          .levels = {{.down = 4, .up = 4, .bandwidth_bytes_per_s = 1e9, .latency_s = 1e-7},
                     {.down = 8, .up = 4, .bandwidth_bytes_per_s = 2e9, .latency_s = 2e-7}},
          .routing = routing};
}

/// Two thirds of the leaves' cables missing, and two cables between a leaf and a root.
settings::FatTree tapered() {
  return {.nodes_per_leaf = 12,
          .levels = {{.down = 3, .up = 2, .parallel = 2, .bandwidth_bytes_per_s = 1e9, .latency_s = 0}}};
}

}  // namespace

TEST_CASE("a fat-tree of k-port switches has 5k²/4 of them and as many cables on each level as nodes") {
  const FatTree tree(full(settings::FatTreeRouting::DModK), "f", 128);
  CHECK(tree.switch_count() == 80);         // 5 · 64 / 4
  CHECK(tree.link_count() == 2 * 2 * 128);  // two levels, two directions
  CHECK(tree.group_count() == 32);          // leaves
  CHECK(longest(tree) == 4);
  CHECK(tree.longest_route() == 4);
  CHECK(all_distinct(tree));
}

TEST_CASE("routes of a fat-tree lead from leaf to leaf, however they are chosen") {
  for (const auto routing :
       {settings::FatTreeRouting::DModK, settings::FatTreeRouting::SModK, settings::FatTreeRouting::Random}) {
    CHECK(all_lead(FatTree(full(routing), "f", 128)));
  }
  CHECK(all_lead(FatTree(tapered(), "f", 36)));
}

TEST_CASE("nodes meet at the lowest switch that both are below") {
  const FatTree tree(full(settings::FatTreeRouting::DModK), "f", 128);
  CHECK(route(tree, 0, 3).empty());      // one leaf
  CHECK(route(tree, 0, 4).size() == 2);  // 16 nodes below a switch of level 1
  CHECK(route(tree, 0, 16).size() == 4);
}

TEST_CASE("by d-mod-k every way down serves one target in a tree that is not tapered") {
  const FatTree tree(full(settings::FatTreeRouting::DModK), "f", 128);
  std::map<std::uint32_t, std::set<Node>> targets;
  for_each_pair(tree, [&](Node from, Node to) {
    const Links links = route(tree, from, to);
    for (std::size_t i = links.size() / 2; i < links.size(); ++i) targets[links[i]].insert(to);
  });
  for (const auto& [link, nodes] : targets) CHECK(nodes.size() == 1);
}

TEST_CASE("by d-mod-k shifts do not meet on any link") {
  // The theorem of Zahavi 2010: on a tree with constant bisection shift permutations are free of contention.
  const FatTree tree(full(settings::FatTreeRouting::DModK), "f", 128);
  for (std::uint32_t shift = 1; shift < 128; ++shift) {
    std::set<std::uint32_t> crossed;
    std::size_t links = 0;
    for (Node from = 0; from < 128; ++from)
      for (const std::uint32_t link : route(tree, from, (from + shift) % 128)) crossed.insert(link), ++links;
    REQUIRE(crossed.size() == links);
  }
}

TEST_CASE("a tapered tree deals its traffic evenly to what cables there are") {
  const FatTree tree(tapered(), "f", 36);
  CHECK(tree.switch_count() == 3 + 2);
  CHECK(tree.link_count() == 2 * 3 * 4);  // three leaves, two roots with two cables each
  // 12 nodes of a leaf send to 24 others over 4 cables.
  for (const std::uint32_t load : load_of_all_pairs(tree)) CHECK(load == 12 * 24 / 4);
  CHECK(tree.link_name(0) == "level0.0-level1.0");
  CHECK(tree.link_name(4) == "level0.0-level1.0#2");
}

TEST_CASE("random routes differ by seed and stay what they are") {
  settings::FatTree spec = full(settings::FatTreeRouting::Random);
  const FatTree tree(spec, "f", 128), same(spec, "f", 128);
  spec.seed = 1;
  const FatTree other(spec, "f", 128);
  int differ = 0;
  for_each_pair(tree, [&](Node from, Node to) {
    REQUIRE(route(tree, from, to) == route(same, from, to));
    differ += route(tree, from, to) != route(other, from, to);
  });
  CHECK(differ > 128 * 127 / 2);  // 15 of 16 ways through the roots are others
}

TEST_CASE("links of a level cost what the level says") {
  const FatTree tree(full(settings::FatTreeRouting::DModK), "f", 128);
  CHECK(tree.link_cost(0).bandwidth.bytes_per_s == 1e9);
  CHECK(tree.link_cost(tree.link_count() - 1).latency.s == 2e-7);
}

TEST_CASE("wide-area links begin at the first root") {
  const FatTree tree(full(settings::FatTreeRouting::DModK), "f", 128);
  for (Node node = 0; node < 128; ++node) {
    Links out, in;
    tree.leave(node, out);
    tree.enter(node, in);
    CHECK(tree.switch_name(tree.ends(out.back()).to) == "level2.0");
    CHECK(leads(tree, out, tree.switch_of(node), tree.ends(out.back()).to));
    CHECK(leads(tree, in, tree.ends(out.back()).to, tree.switch_of(node)));
  }
}

TEST_CASE("a fat-tree may have places without nodes, but not nodes without places") {
  CHECK(all_lead(FatTree(full(settings::FatTreeRouting::DModK), "f", 100)));
  CHECK_THROWS_WITH(FatTree(full(settings::FatTreeRouting::DModK), "f", 129),
                    "f: has room for 128 nodes, not for 129; make it larger");
  CHECK(FatTree(full(settings::FatTreeRouting::DModK), "f").node_count() == 128);
}

TEST_CASE("the links of all levels of a fat-tree are counted beyond 32 bits") {
  // 15 levels of 2^27 cables and one of 2^28, of two links each.
  settings::FatTree spec{.nodes_per_leaf = 1};
  spec.levels.assign(15, {.down = 1, .parallel = 1u << 26, .bandwidth_bytes_per_s = 1e9});
  spec.levels.push_back({.down = 2, .parallel = 1u << 26, .bandwidth_bytes_per_s = 1e9});
  CHECK_THROWS_WITH(FatTree(spec, "f"), "f: more than 268435456 nodes, switches or links; make it smaller");
}
