// SPDX-License-Identifier: BSD-3-Clause
#include "platform/fabric/dragonfly.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/fabric/example.test.hpp"

using namespace orrery;
using namespace orrery::platform;
using namespace orrery::platform::example;

namespace {

/// Balanced as Kim et al. say: a = 2p = 2h = 4 routers in each of g = ah + 1 = 9 groups, 72 nodes.
settings::Dragonfly balanced(settings::DragonflyRouting routing = settings::DragonflyRouting::Minimal) {
  return {.groups = 9,
          .routers_per_chassis = 4,
          .nodes_per_router = 2,
          .within_chassis = settings::Cable{1e9, 1e-7},
          .between_groups = settings::Cable{2e9, 1e-6},
          .routing = routing};
}

/// Four groups of three chassis of four routers, two cables between groups.
settings::Dragonfly cascade(settings::DragonflyRouting routing = settings::DragonflyRouting::Minimal) {
  return {.groups = 4,
          .chassis_per_group = 3,
          .routers_per_chassis = 4,
          .nodes_per_router = 2,
          .cables_between_groups = 2,
          .within_chassis = settings::Cable{1e9, 1e-7},
          .between_chassis = settings::Cable{3e9, 3e-7},
          .between_groups = settings::Cable{2e9, 1e-6},
          .routing = routing};
}

bool between_groups(const Dragonfly& fly, std::uint32_t link) { return fly.link_cost(link).latency.s == 1e-6; }

/// Groups that a route visits.
std::set<std::uint32_t> groups(const Dragonfly& fly, const Links& links, std::uint32_t routers) {
  std::set<std::uint32_t> visited;
  for (const std::uint32_t link : links) visited.insert({fly.ends(link).from / routers, fly.ends(link).to / routers});
  return visited;
}

}  // namespace

TEST_CASE("a balanced dragonfly has as many links as its numbers say, and three of them are enough") {
  const Dragonfly fly(balanced(), "d", 72);
  CHECK(fly.switch_count() == 36);
  CHECK(fly.link_count() == 9 * 4 * 3 + 9 * 8);
  CHECK(fly.longest_route() == 3);
  CHECK(longest(fly) == 3);
  CHECK(all_distinct(fly));
  CHECK(all_lead(fly));
}

TEST_CASE("each router of a balanced dragonfly has h = 2 cables to other groups") {
  const Dragonfly fly(balanced(), "d", 72);
  std::map<std::uint32_t, int> cables;
  for (std::uint32_t link = 0; link < fly.link_count(); ++link)
    if (between_groups(fly, link)) ++cables[fly.ends(link).from];
  CHECK(cables.size() == 36);
  for (const auto& [router, count] : cables) CHECK(count == 2);
}

TEST_CASE("when all send to all, each cable between groups carries the pairs of two groups") {
  const Dragonfly fly(balanced(), "d", 72);
  const std::vector<std::uint32_t> load = load_of_all_pairs(fly);
  for (std::uint32_t link = 0; link < fly.link_count(); ++link)
    if (between_groups(fly, link)) CHECK(load[link] == 8 * 8);
}

TEST_CASE("a cable is the same from both of its ends") {
  const Dragonfly fly(cascade(), "d", 96);
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> there, back;
  for (std::uint32_t link = 0; link < fly.link_count(); ++link) {
    there.insert({fly.ends(link).from, fly.ends(link).to});
    back.insert({fly.ends(link).to, fly.ends(link).from});
  }
  CHECK(there == back);
}

TEST_CASE("with several chassis a group is crossed along its chassis first, then between them") {
  const Dragonfly fly(cascade(), "d", 96);
  CHECK(fly.link_count() == 4 * (12 * 3 + 12 * 2) + 4 * 3 * 2);
  CHECK(fly.longest_route() == 2 + 1 + 2);
  CHECK(all_distinct(fly));
  CHECK(all_lead(fly));
  const Links links = route(fly, 0, 2 * 5);  // from router 0 of chassis 0 to router 1 of chassis 1
  REQUIRE(links.size() == 2);
  CHECK(fly.link_name(links[0]) == "group0.chassis0.router0-group0.chassis0.router1");
  CHECK(fly.link_name(links[1]) == "group0.chassis0.router1-group0.chassis1.router1");
}

TEST_CASE("minimal routes cross one cable between groups, Valiant's two through a third group") {
  for (const auto& [spec, nodes, routers] : {std::tuple{balanced(), 72u, 4u}, std::tuple{cascade(), 96u, 12u}}) {
    settings::Dragonfly detours = spec;
    detours.routing = settings::DragonflyRouting::Valiant;
    const Dragonfly minimal(spec, "d", nodes), valiant(detours, "d", nodes);
    CHECK(all_lead(valiant));
    for_each_pair(minimal, [&, routers = routers](Node from, Node to) {
      const bool apart = minimal.group_of(from) != minimal.group_of(to);
      const std::size_t expected = apart ? 2 : 1;
      if (apart) REQUIRE(groups(minimal, route(minimal, from, to), routers).size() == expected);
      if (apart) REQUIRE(groups(valiant, route(valiant, from, to), routers).size() == expected + 1);
      if (!apart) REQUIRE(route(minimal, from, to) == route(valiant, from, to));
    });
  }
}

TEST_CASE("Valiant's routes spread what minimal ones send over one cable") {
  // All nodes of group 0 send to group 1: 8 · 8 flows over one cable, or over those to the 7 other groups.
  const Dragonfly minimal(balanced(), "d", 72), valiant(balanced(settings::DragonflyRouting::Valiant), "d", 72);
  const auto most = [&](const Dragonfly& fly) {
    std::map<std::uint32_t, int> load;
    for (Node from = 0; from < 8; ++from)
      for (Node to = 8; to < 16; ++to)
        for (const std::uint32_t link : route(fly, from, to)) load[link] += between_groups(fly, link);
    return std::ranges::max_element(load, {}, &std::pair<const std::uint32_t, int>::second)->second;
  };
  CHECK(most(minimal) == 64);
  CHECK(most(valiant) < 20);  // 64 / 7 is 9.1; a fixed draw
}

TEST_CASE("a dragonfly that cannot be is refused") {
  CHECK_THROWS_WITH(Dragonfly(balanced(), "d", 73), "d: has room for 72 nodes, not for 73; make it larger");
  settings::Dragonfly apart = balanced();
  apart.between_groups.reset();
  CHECK_THROWS_WITH(Dragonfly(apart, "d", 72), "d: between_groups is missing");
}
