// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/incidence.hpp"

#include <algorithm>
#include <list>
#include <vector>

#include "catch.hpp"

using orrery::sharing::Incidence;

namespace {

std::list<Incidence::Flow> flows_on(const Incidence& incidence, Incidence::Link link) {
  std::list<Incidence::Flow> flows;
  incidence.for_each_flow(link, [&](Incidence::Flow flow) {
    flows.push_back(flow);
    return true;
  });
  return flows;
}

void insert(Incidence& incidence, Incidence::Flow flow, std::vector<Incidence::Link> links) {
  incidence.make_room(flow);
  incidence.prepare(flow, links);
  incidence.insert(flow);
}

}  // namespace

TEST_CASE("a link's flows are visited latest first until the visitor has enough") {
  Incidence incidence(2, 2);
  insert(incidence, 4, {0, 1});
  insert(incidence, 2, {1});
  insert(incidence, 7, {0, 1});
  CHECK(flows_on(incidence, 0) == std::list<Incidence::Flow>{7, 4});
  CHECK(flows_on(incidence, 1) == std::list<Incidence::Flow>{7, 2, 4});
  int visits = 0;
  incidence.for_each_flow(1, [&](Incidence::Flow flow) { return ++visits, flow != 2; });
  CHECK(visits == 2);
}

TEST_CASE("flows that leave do not change the order of those that stay") {
  // Against a list by the book: 64 flows on three links come and go, so that gaps are closed many times.
  Incidence incidence(3, 3);
  std::list<Incidence::Flow> expected;
  for (std::uint32_t step = 0; step < 5000; ++step) {
    const Incidence::Flow flow = step * 37 % 64 ^ step * 11 % 13;
    const bool there = std::find(expected.begin(), expected.end(), flow) != expected.end();
    if (there) {
      incidence.erase(flow);
      expected.remove(flow);
    } else {
      insert(incidence, flow, {2, 0});
      expected.push_front(flow);
    }
    REQUIRE(flows_on(incidence, 0) == expected);
    REQUIRE(flows_on(incidence, 2) == expected);
    REQUIRE(flows_on(incidence, 1).empty());
  }
}
