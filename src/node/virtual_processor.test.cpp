// SPDX-License-Identifier: BSD-3-Clause
#include "node/virtual_processor.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"

using namespace orrery;
using namespace orrery::node;

namespace {

/// Two virtual processors of one core, in slices of 1 s.
std::vector<VirtualProcessor> pair_on_one_core(double share = 0) {
  const settings::Hypervisor slices{.slice_s = 1, .steal_share = share};
  return {VirtualProcessor(slices, {.host = 3, .number = 0, .wanted = 2, .cores = 1}, 7),
          VirtualProcessor(slices, {.host = 3, .number = 1, .wanted = 2, .cores = 1}, 7)};
}

}  // namespace

TEST_CASE("a processor that nobody takes has a core all the time") {
  const VirtualProcessor physical, alone({}, {.wanted = 2, .cores = 2}, 0);
  for (const VirtualProcessor& processor : {physical, alone}) {
    CHECK(processor.absence({5}).s == 0);
    CHECK(processor.lasts({5}, {3}).s == 3);
  }
}

TEST_CASE("two virtual processors of one core have it in turns") {
  const auto pair = pair_on_one_core();
  double alone = 0;
  for (int step = 0; step < 4000; ++step) {
    const SimTime now{step * 0.01 + 0.0005};
    const bool first = pair[0].absence(now).s == 0, second = pair[1].absence(now).s == 0;
    CHECK(first != second);
    alone += first;
  }
  CHECK(alone == Approx(2000).margin(1));
}

TEST_CASE("work takes as long as the slices in between") {
  const VirtualProcessor processor = pair_on_one_core().front();
  const SimTime begin{processor.absence({0}).s > 0 ? processor.absence({0}).s : 0};
  // Find the beginning of a slice: the end of an absence.
  SimTime slice = begin;
  while (processor.absence(slice).s == 0) slice.s += 0.001;
  slice += processor.absence(slice);
  CHECK(processor.lasts(slice, {0.5}).s == Approx(0.5));
  CHECK(processor.lasts(slice, {1.5}).s == Approx(2.5));    // one slice of the other in between
  CHECK(processor.lasts(slice, {3.25}).s == Approx(6.25));  // three of them
  CHECK(processor.lasts({slice.s + 0.75}, {0.5}).s == Approx(1.5));
  CHECK(processor.lasts({slice.s + 1.25}, {0.5}).s == Approx(1.25));  // waits for 0.75 s first
  CHECK(processor.lasts({slice.s + 1.25}, {0}).s == Approx(0.75));
}

TEST_CASE("three virtual processors of two cores: two run at any time, two thirds of it each") {
  std::vector<VirtualProcessor> three;
  for (std::uint32_t number = 0; number < 3; ++number)
    three.emplace_back(settings::Hypervisor{.slice_s = 0.03}, Seat{.number = number, .wanted = 3, .cores = 2}, 1);
  for (int step = 0; step < 1000; ++step) {
    const SimTime now{step * 0.00101};
    int running = 0;
    for (const VirtualProcessor& processor : three) running += processor.absence(now).s == 0;
    CHECK(running == 2);
  }
  CHECK(three[1].lasts({0.4}, {100}).s == Approx(150).margin(0.045));
}

TEST_CASE("what the hypervisor takes for itself comes on top of what the others get") {
  // Of each slice of 1 s the hypervisor takes 0.2 s: 0.8 s in 2 s.
  CHECK(pair_on_one_core(0.2)[0].lasts({0.3}, {80}).s == Approx(200).margin(1.2));
}

TEST_CASE("a share is stolen in pieces of one length, at drawn places") {
  const settings::Hypervisor settings{.steal_share = 0.1, .steal_s = 0.02};
  const VirtualProcessor processor(settings, {.host = 1, .number = 0}, 5), again(settings, {.host = 1, .number = 0}, 5);
  const VirtualProcessor neighbour(settings, {.host = 1, .number = 1}, 5), other(settings, {.host = 1, .number = 0}, 6);
  CHECK(processor.lasts({0.01}, {90}).s == Approx(100).margin(0.2));  // a period is 0.2 s
  // Fixed work of 1 ms, again and again: nearly always 1 ms, and as often as said 20 ms more.
  int stolen = 0, differs = 0;
  SimTime now{0};
  for (int i = 0; i < 9000; ++i) {
    const Duration lasts = processor.lasts(now, {0.001});
    CHECK(lasts.s == again.lasts(now, {0.001}).s);
    CHECK((lasts.s == Approx(0.001) || lasts.s == Approx(0.021)));
    stolen += lasts.s > 0.002;
    differs += lasts.s != neighbour.lasts(now, {0.001}).s || lasts.s != other.lasts(now, {0.001}).s;
    now += lasts;
  }
  CHECK(now.s == Approx(10).margin(0.2));
  CHECK(stolen == Approx(50).margin(1));  // 10 s of periods of 0.2 s
  CHECK(differs > 50);
}

TEST_CASE("work in parts takes as long as in one") {
  const VirtualProcessor processor({.steal_share = 0.3, .steal_s = 0.01}, {.host = 2, .number = 1}, 11);
  SimTime now{0.123};
  for (int i = 0; i < 1000; ++i) now += processor.lasts(now, {0.0017});
  CHECK(now.s - 0.123 == Approx(processor.lasts({0.123}, {1.7}).s).epsilon(1e-9));
}
