// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/event_heap.hpp"

#include <map>
#include <random>

#include "catch.hpp"

using orrery::sharing::EventHeap;

TEST_CASE("events of one time come in the order of their transfers' starts") {
  EventHeap heap;
  for (std::uint32_t i = 0; i < 20; ++i) heap.push({1.0, 100 - i, i});
  for (std::uint64_t order = 81; order <= 100; ++order) {
    CHECK(heap.first().order == order);
    heap.pop();
  }
  CHECK(heap.empty());
}

TEST_CASE("a heap agrees with a sorted map while events come, go and move") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    std::mt19937 draw(seed);
    EventHeap heap;
    std::map<std::uint32_t, EventHeap::Event> events;
    for (std::uint64_t step = 0; step < 500; ++step) {
      const std::uint32_t transfer = draw() % 40;
      const double time = draw() % 30;
      if (events.count(transfer)) {
        heap.move(transfer, time);
        events.at(transfer).time_s = time;
      } else {
        heap.push({time, step, transfer});
        events[transfer] = {time, step, transfer};
      }
      const auto first = std::min_element(events.begin(), events.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
      REQUIRE(heap.first().transfer == first->first);
      if (draw() % 3 == 0) {
        heap.pop();
        events.erase(first);
      }
      const std::uint32_t leaves = draw() % 40;
      REQUIRE(heap.contains(leaves) == (events.count(leaves) == 1));
      if (draw() % 4 == 0 && events.erase(leaves) == 1) heap.erase(leaves);
      if (events.empty()) REQUIRE(heap.empty());
    }
  }
}
