// SPDX-License-Identifier: BSD-3-Clause
#include "placement/placement.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/split_mix.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::placement;

namespace {

using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

/// A message of so many bytes for each pair.
Traffic traffic_of(std::uint32_t ranks, const Pairs& pairs) {
  std::vector<std::map<std::uint32_t, double>> rows(ranks);
  for (const auto& [pair, bytes] : pairs) {
    rows[pair.first][pair.second] += bytes;
    rows[pair.second][pair.first] += bytes;
  }
  Traffic traffic;
  for (const auto& row : rows) {
    for (const auto& [peer, bytes] : row) {
      traffic.peers.push_back(peer);
      traffic.bytes.push_back(bytes);
      traffic.messages.push_back(1);
    }
    traffic.offsets.push_back(static_cast<std::uint32_t>(traffic.peers.size()));
  }
  return traffic;
}

/// Cabinets of nodes: a message takes 10 s between cabinets, 1 s between nodes of one, and nothing inside of a node.
Tree cabinets(std::uint32_t number, std::uint32_t nodes, std::uint32_t slots) {
  Tree tree{{.message_s = 10}};
  for (std::uint32_t cabinet = 0; cabinet < number; ++cabinet) {
    const auto at = static_cast<std::uint32_t>(tree.size());
    tree.push_back({.parent = 0, .message_s = 1});
    for (std::uint32_t node = 0; node < nodes; ++node) tree.push_back({.parent = at, .slots = slots});
  }
  return tree;
}

/// A halo of 8 x 8 ranks whose numbers are shuffled: 7 is prime to 64.
Traffic halo() {
  const auto rank = [](std::uint32_t x, std::uint32_t y) { return (y * 8 + x) * 7 % 64; };
  Pairs pairs;
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      if (x < 7) pairs[{rank(x, y), rank(x + 1, y)}] = 1;
      if (y < 7) pairs[{rank(x, y), rank(x, y + 1)}] = 1;
    }
  return traffic_of(64, pairs);
}

void check_slots(const Tree& tree, const Mapping& mapping) {
  std::vector<std::uint32_t> there(tree.size(), 0);
  for (const std::uint32_t leaf : mapping) ++there[leaf];
  for (std::uint32_t part = 0; part < tree.size(); ++part) CHECK(there[part] <= tree[part].slots);
}

}  // namespace

TEST_CASE("the cost is that of pairs by their smallest common part, and of the busiest border") {
  // Ranks 0 and 1 on a node, 2 on another one of the cabinet, 3 in the other: 0-1 nothing, 0-2 1 s, 0-3 10 s, over 4
  // ranks. Rank 3's cabinet has 5 bytes at its border, the first one, too, and the node of 0 and 1 has 3 + 5; 2 s each.
  Tree tree = cabinets(2, 2, 2);
  const Traffic traffic = traffic_of(4, {{{0, 1}, 100}, {{0, 2}, 3}, {{0, 3}, 5}});
  for (Part& part : tree) part.border_byte_s = part.slots > 0 ? 2 : 0;
  const Cost found = cost(traffic, tree, {2, 2, 3, 5});
  CHECK(found.pairs_s == Approx(11.0 / 4));
  CHECK(found.busiest_s == Approx(16));
}

TEST_CASE("a shuffled halo is tiled: cabinets are quarters, nodes squares") {
  // 4 cabinets of 4 nodes of 4 slots for 8 x 8 ranks. Between quarters 2 · 8 pairs; inside of a quarter 2 · 4 between
  // its 2 x 2 nodes: (16 · 10 + 4 · 8 · 1) / 64.
  const Tree tree = cabinets(4, 4, 4);
  const Mapping found = exchange(halo(), tree, {}, divide(halo(), tree, 0), 0);
  check_slots(tree, found);
  CHECK(cost(halo(), tree, found).pairs_s == Approx((160.0 + 32) / 64));
}

TEST_CASE("free slots stay free, and what exchanges much is packed") {
  // 4 ranks that all exchange, 8 nodes of 4 slots: on one node nothing is paid.
  Pairs pairs;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < a; ++b) pairs[{a, b}] = 1;
  const Tree tree = cabinets(2, 4, 4);
  const Traffic traffic = traffic_of(4, pairs);
  CHECK(cost(traffic, tree, exchange(traffic, tree, {}, divide(traffic, tree, 0), 0)).pairs_s == 0);
}

TEST_CASE("swaps take load from the busiest border") {
  // Nodes of 2 slots. Rank 0 sends 10 bytes to each of 1 ... 5; pairs cost nothing. Whoever shares a node with 0 takes
  // 10 bytes from its border: with nobody it has 50, else 40. From the mapping in which a free slot is beside it, a
  // swap wins.
  Tree tree{{}};
  for (int node = 0; node < 4; ++node) tree.push_back({.parent = 0, .slots = 2, .border_byte_s = 1});
  const Traffic traffic = traffic_of(6, {{{0, 1}, 10}, {{0, 2}, 10}, {{0, 3}, 10}, {{0, 4}, 10}, {{0, 5}, 10}});
  const Mapping before{1, 2, 2, 3, 3, 4};
  CHECK(cost(traffic, tree, before).busiest_s == 50);
  const Mapping after = exchange(traffic, tree, {}, before, 0);
  check_slots(tree, after);
  CHECK(cost(traffic, tree, after).busiest_s == 40);
}

TEST_CASE("a swap changes the cost as counting anew does, and never raises it") {
  SplitMix draw(5);
  Tree tree = cabinets(3, 3, 3);
  for (Part& part : tree) part.border_byte_s = draw.uniform();
  for (int turn = 0; turn < 20; ++turn) {
    Pairs pairs;
    for (int i = 0; i < 60; ++i)
      pairs[{static_cast<std::uint32_t>(draw.uniform() * 25), static_cast<std::uint32_t>(draw.uniform() * 25)}] =
          draw.uniform();
    for (std::uint32_t rank = 0; rank < 25; ++rank) pairs.erase({rank, rank});
    const Traffic traffic = traffic_of(25, pairs);
    const Mapping before = divide(traffic, tree, 1);
    const Mapping after = exchange(traffic, tree, {}, before, 2);
    check_slots(tree, before);
    check_slots(tree, after);
    CHECK(cost(traffic, tree, after).total_s() <= cost(traffic, tree, before).total_s() * (1 + 1e-9));
    CHECK(exchange(traffic, tree, {}, before, 2) == after);
  }
}

TEST_CASE("ranks go only where their kind may, and others make room along the shortest chain") {
  // Nodes A, B, C of one slot, full: kind 0 may use A only, kind 1 A and B, kind 2 all. Rank 2 wants A, where rank 0
  // is.
  const Tree tree{{}, {.slots = 1}, {.slots = 1}, {.slots = 1}};
  const auto only = [](bool a, bool b, bool c) { return std::vector<bool>{false, a, b, c}; };
  const Kinds kinds{{1, 2, 0}, {only(true, false, false), only(true, true, false), only(true, true, true)}};
  CHECK(fit(tree, kinds, {1, 2, 3}) == Mapping{2, 3, 1});
  CHECK(exchange(traffic_of(3, {{{0, 1}, 1}}), tree, kinds, {2, 3, 1}, 0) == Mapping{2, 3, 1});
}

TEST_CASE("whoever is told to stop does") {
  const std::atomic<bool> stop{true};
  const Tree tree = cabinets(4, 4, 4);
  const Mapping on_one_node(64, 2);
  CHECK_THROWS_AS(divide(halo(), tree, 0, &stop), Interrupted);
  CHECK_THROWS_AS(fit(tree, {}, on_one_node, &stop), Interrupted);
  CHECK_THROWS_AS(exchange(halo(), tree, {}, divide(halo(), tree, 0), 0, &stop), Interrupted);
}

TEST_CASE("what fits nowhere is refused") {
  const Tree tree{{}, {.slots = 1}, {.slots = 1}};
  const Kinds kinds{{0, 0}, {{false, true, false}}};
  CHECK_THROWS_AS(fit(tree, kinds, {1, 2}), InputError);
  CHECK_THROWS_AS(check(traffic_of(3, {}), tree), InputError);
  CHECK_THROWS_AS(check(Traffic{{0, 1}, {7}, {1}, {1}}, tree), InputError);
  CHECK_THROWS_AS(check(traffic_of(2, {}), Tree{{}, {.parent = 1, .slots = 2}}), InputError);
}
