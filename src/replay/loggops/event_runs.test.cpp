// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops/event_runs.hpp"

#include <queue>
#include <random>
#include <tuple>

#include "catch.hpp"

using orrery::replay::loggops::Event;
using orrery::replay::loggops::EventRuns;

namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return std::tie(a.time, a.order) > std::tie(b.time, b.order);
  }
};

bool same(const Event& a, const Event& b) {
  return std::tie(a.time, a.order, a.rank, a.node) == std::tie(b.time, b.order, b.rank, b.node);
}

}  // namespace

TEST_CASE("events leave in the order of a priority queue, whatever times they have and whenever they come back") {
  for (const std::uint64_t times : {1u, 3u, 100u, 1000000u}) {
    std::mt19937_64 draw(times);
    EventRuns runs;
    std::priority_queue<Event, std::vector<Event>, Later> plain;
    std::uint64_t order = 0, now = 0;
    const auto push = [&](std::uint64_t time, std::uint64_t place, std::uint32_t rank) {
      const Event event{time, place, rank, static_cast<std::uint32_t>(draw())};
      runs.push(event);
      plain.push(event);
    };
    for (std::uint32_t step = 0; step < 200000; ++step) {
      const auto kind = draw() % 8;
      if (kind < 4) push(now + draw() % times, order++ << 2, step);
      if (kind == 4 && now > 10) push(now - draw() % 10, order++ << 2, step);  // into the past
      if (kind < 5) continue;
      REQUIRE(runs.empty() == plain.empty());
      if (plain.empty()) continue;
      const Event wanted = plain.top(), found = runs.pop();
      plain.pop();
      REQUIRE(same(found, wanted));
      now = found.time;
      if (kind == 7 && draw() % 4 != 0) push(now + 1 + draw() % times, found.order, found.rank);  // put off
    }
    while (!plain.empty()) {
      REQUIRE(same(runs.pop(), plain.top()));
      plain.pop();
    }
    CHECK(runs.empty());
  }
}

TEST_CASE("events of one run can be seen before they leave") {
  EventRuns runs;
  for (std::uint32_t i = 0; i < 5; ++i) runs.push({7, 4 * i, i, 0});
  std::vector<std::uint32_t> seen;
  runs.pop();  // alone: the second of a time begins its run
  runs.pop();
  for (std::size_t distance = 1; distance < 6; ++distance)
    runs.ahead(distance, [&](const Event& event) { seen.push_back(event.rank); });
  CHECK(seen == std::vector<std::uint32_t>{2, 3, 4});
}
