// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/filling.hpp"

#include <initializer_list>
#include <random>
#include <vector>

#include "catch.hpp"

using orrery::sharing::Filling;

namespace {

void add_links(Filling& filling, std::initializer_list<double> rooms) {
  std::uint32_t order = 0;
  for (const double room : rooms) filling.set_room(filling.add_link(order++), room);
}

void add_flow(Filling& filling, double bound, std::initializer_list<Filling::Index> links) {
  filling.add_flow(bound);
  for (const Filling::Index link : links) filling.cross(link);
}

}  // namespace

TEST_CASE("filling stops a flow at its bound or at the first link that is full") {
  // The classic line: flow 0 crosses both links, 1 the first, 2 the second, 3 the first with a bound of 1. Link 1 gives
  // 6 / 2; link 0 has 10 − 3 − 1 left for flow 1.
  Filling filling;
  add_links(filling, {10, 6});
  add_flow(filling, 100, {0, 1});
  add_flow(filling, 100, {0});
  add_flow(filling, 100, {1});
  add_flow(filling, 1, {0});
  filling.fill();
  CHECK(filling.rate(0) == 3);
  CHECK(filling.rate(1) == 6);
  CHECK(filling.rate(2) == 3);
  CHECK(filling.rate(3) == 1);
  CHECK(filling.bottleneck(0) == 1);
  CHECK(filling.bottleneck(1) == 0);
  CHECK(filling.bottleneck(3) == Filling::none);
}

TEST_CASE("after filling a link knows what it gives, what is left, and its fastest flow") {
  Filling filling;
  add_links(filling, {12, 100});
  add_flow(filling, 2, {0, 1});
  add_flow(filling, 100, {0});
  add_flow(filling, 100, {0, 1});
  filling.fill();
  CHECK(filling.links()[0].share == 5);  // (12 − 2) / 2
  CHECK(filling.links()[0].room == 0);
  CHECK(filling.links()[1].share == Filling::no_share);
  CHECK(filling.links()[1].room == 93);
  CHECK(filling.links()[1].fastest == 5);
}

TEST_CASE("a flow that is alone on links stops at the narrowest") {
  Filling filling;
  add_links(filling, {8, 3, 5});
  add_flow(filling, 100, {0, 1, 2});
  filling.fill();
  CHECK(filling.rate(0) == 3);
  CHECK(filling.bottleneck(0) == 1);
  CHECK(filling.links()[1].share == 3);
}

TEST_CASE("what has been filled can grow, be given other rooms and be filled again") {
  Filling filling;
  add_links(filling, {12});
  add_flow(filling, 100, {0});
  add_flow(filling, 100, {0});
  filling.fill();
  CHECK(filling.rate(0) == 6);
  add_flow(filling, 100, {0});
  filling.set_room(0, 9);
  filling.fill();
  for (Filling::Index flow = 0; flow < 3; ++flow) CHECK(filling.rate(flow) == 3);
  filling.clear();
  CHECK(filling.links().empty());
}

TEST_CASE("a link without room gives nothing, and says so") {
  Filling filling;
  add_links(filling, {0});
  add_flow(filling, 7, {0});
  add_flow(filling, 7, {0});
  filling.fill();
  CHECK(filling.rate(0) == 0);
  CHECK(filling.rate(1) == 0);
  CHECK(filling.links()[0].share == 0);
}

TEST_CASE("rates do not depend on the order of the flows") {
  // Shares that rounding tells apart: 1/3 and what it leaves. Only the order of links may decide.
  const auto rates = [](bool forwards) {
    Filling filling;
    add_links(filling, {1, 1, 2});
    for (int i = 0; i < 6; ++i) {
      const int flow = forwards ? i : 5 - i;
      flow < 3 ? add_flow(filling, 9, {0, 2}) : add_flow(filling, 9, {1, 2});
    }
    filling.fill();
    std::vector<double> rates;
    for (Filling::Index flow = 0; flow < 6; ++flow) rates.push_back(filling.rate(forwards ? flow : 5 - flow));
    return rates;
  };
  CHECK(rates(true) == rates(false));
}

TEST_CASE("few flows get the same, to the last bit, as beside many that share nothing with them") {
  std::mt19937 random(1);
  const auto up_to = [&](unsigned most) { return std::uniform_int_distribution<unsigned>(0, most)(random); };
  for (int system = 0; system < 2000; ++system) {
    Filling few, many;
    const unsigned links = 1 + up_to(5), flows = 1 + up_to(7);
    for (unsigned link = 0; link < links; ++link) {
      const double room = 0.1 * up_to(30);
      for (Filling* filling : {&few, &many}) filling->set_room(filling->add_link(link), room);
    }
    for (unsigned flow = 0; flow < flows; ++flow) {
      const double bound = 0.1 * (1 + up_to(20)), weight = 0.5 * (1 + up_to(3));
      for (Filling* filling : {&few, &many}) filling->add_flow(bound, weight);
      for (unsigned link = 0; link < links; ++link) {
        if (up_to(1) == 0) continue;
        for (Filling* filling : {&few, &many}) filling->cross(link);
      }
    }
    for (int i = 0; i < 8; ++i) many.add_flow(1);
    few.fill();
    many.fill();
    for (unsigned flow = 0; flow < flows; ++flow) {
      CHECK(few.level(flow) == many.level(flow));
      CHECK(few.bottleneck(flow) == many.bottleneck(flow));
    }
    for (unsigned link = 0; link < links; ++link) {
      CHECK(few.links()[link].share == many.links()[link].share);
      CHECK(few.links()[link].room == many.links()[link].room);
      CHECK(few.links()[link].fastest == many.links()[link].fastest);
    }
  }
}
