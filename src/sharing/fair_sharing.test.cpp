// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/fair_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "sharing/by_the_book.test.hpp"
#include "sharing/flow_bundles.hpp"

// As the room uses it: flows of equal route, bound and weight are one.
using Sharing = orrery::sharing::FlowBundles;
using orrery::sharing::Accuracy;

namespace {

using Links = std::vector<Sharing::Link>;

struct SystemFlow {
  double at_s;
  Links links;
  double bound;
  double weight;
  double bytes;
};

struct NewWeight {
  double at_s;
  Sharing::Flow flow;
  double weight;
};

struct System {
  std::vector<double> capacities;
  std::vector<SystemFlow> flows;   ///< in the order in which they come
  std::vector<NewWeight> weights;  ///< in the order of their times
};

constexpr double never = std::numeric_limits<double>::infinity();

/// When each flow ends, by what the solver says.
std::vector<double> solve(const System& system, const Accuracy& accuracy = {}) {
  Sharing sharing(system.capacities, 8, 0, accuracy);
  std::vector<double> ends(system.flows.size(), never);
  std::vector<Sharing::Flow> ended;
  std::size_t come = 0, weighed = 0;
  for (;;) {
    const double next_s = sharing.next_event();
    const double comes_s = come < system.flows.size() ? system.flows[come].at_s : never;
    const double weighs_s = weighed < system.weights.size() ? system.weights[weighed].at_s : never;
    const double now_s = std::min({next_s, comes_s, weighs_s});
    if (now_s == never) return ends;
    if (next_s == now_s) {
      ended.clear();
      sharing.advance(now_s, ended);
      for (const auto flow : ended) ends[flow] = now_s;
    } else if (comes_s == now_s) {
      const SystemFlow& flow = system.flows[come];
      const auto id = static_cast<Sharing::Flow>(come++);
      sharing.prepare(id, flow.links, flow.bound, flow.weight);
      sharing.add(id, now_s, flow.bytes);
    } else {
      const NewWeight& change = system.weights[weighed++];
      if (change.flow < come && ends[change.flow] == never) sharing.reweigh(change.flow, now_s, change.weight);
    }
  }
}

/// Ends of the flows when all rates are computed by the book at each instant, and every flow moves on by itself.
std::vector<double> solve_by_the_book(const System& system) {
  std::vector<orrery::sharing::example::SharedFlow> flows;
  for (const SystemFlow& flow : system.flows) flows.push_back({flow.links, flow.bound, flow.weight});
  std::vector<double> ends(flows.size(), never), left(flows.size());
  std::vector<std::size_t> there;  // in the order in which they came
  std::size_t come = 0, weighed = 0;
  double now_s = 0;
  for (;;) {
    const auto rates = orrery::sharing::example::fill_by_the_book(system.capacities, flows, there);
    double next_s = never;
    for (const auto flow : there) next_s = std::min(next_s, now_s + left[flow] / rates[flow]);
    const double comes_s = come < flows.size() ? system.flows[come].at_s : never;
    const double weighs_s = weighed < system.weights.size() ? system.weights[weighed].at_s : never;
    const double then_s = std::min({next_s, comes_s, weighs_s});
    if (then_s == never) return ends;
    for (const auto flow : there) left[flow] -= rates[flow] * (then_s - now_s);
    now_s = then_s;
    if (next_s == now_s) {
      const auto ended = [&](std::size_t flow) { return left[flow] <= 1e-12 * system.flows[flow].bytes; };
      for (const auto flow : there)
        if (ended(flow)) ends[flow] = now_s;
      std::erase_if(there, ended);
    } else if (comes_s == now_s) {
      left[come] = system.flows[come].bytes;
      there.push_back(come++);
    } else {
      const NewWeight& change = system.weights[weighed++];
      if (std::find(there.begin(), there.end(), change.flow) != there.end()) flows[change.flow].weight = change.weight;
    }
  }
}

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return engine_() % n; }
  double uniform() { return engine_() / 4294967296.0; }
  /// Often one of few values, so that ties occur.
  double value() { return below(2) == 0 ? 1.0 + below(4) : std::ldexp(1.0 + uniform(), int(below(8)) - 4); }
  Links links(unsigned count, unsigned most) {
    Links links(1 + below(most));
    for (auto& link : links) link = below(count);
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
  }

 private:
  std::mt19937 engine_;
};

struct Shape {
  unsigned links, longest, flows;
  double spread_s;  ///< over which flows come
  bool weighted;
  unsigned routes = 0;  ///< with a bound and a weight each, from which flows are drawn; 0: each flow has its own
};

System draw_system(unsigned seed, const Shape& shape) {
  Draw draw(seed);
  System system;
  for (unsigned link = 0; link < shape.links; ++link) system.capacities.push_back(draw.value());
  for (unsigned flow = 0; flow < shape.flows; ++flow) {
    const double at_s =
        draw.below(3) == 0 ? std::floor(shape.spread_s * draw.uniform()) : shape.spread_s * draw.uniform();
    system.flows.push_back({at_s, draw.links(shape.links, shape.longest), draw.value(),
                            shape.weighted ? draw.value() : 1, draw.value() * (draw.below(4) == 0 ? 100 : 1)});
    if (shape.routes == 0 || flow < shape.routes) continue;
    const SystemFlow& like = system.flows[draw.below(shape.routes)];
    system.flows.back() = {at_s, like.links, like.bound, like.weight, system.flows.back().bytes};
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.at_s < b.at_s; };
  std::stable_sort(system.flows.begin(), system.flows.end(), earlier);
  for (unsigned i = 0; shape.weighted && i < shape.flows; ++i)
    system.weights.push_back({2 * shape.spread_s * draw.uniform(), draw.below(shape.flows), draw.value()});
  std::stable_sort(system.weights.begin(), system.weights.end(), earlier);
  return system;
}

/// Node i has the links 3i out, 3i + 1 in, 3i + 2 both ways; each sends the same to every other one, 1 us apart.
/// @param ranks of each node
System all_to_all(unsigned nodes, unsigned seed, unsigned ranks = 1) {
  Draw draw(seed);
  System system;
  for (unsigned node = 0; node < nodes; ++node)
    for (const double capacity : {1.25e8, 1.25e8, 1.875e8}) system.capacities.push_back(capacity);
  for (unsigned rank = 0; rank < nodes * ranks; ++rank) {
    const unsigned from = rank / ranks;
    const double late_s = 20e-6 * draw.uniform();
    for (unsigned k = 1; k < nodes * ranks; ++k) {
      const unsigned to = (rank + k) % (nodes * ranks) / ranks;
      if (to == from) continue;
      system.flows.push_back({late_s + 1e-6 * k, {3 * from, 3 * from + 2, 3 * to + 2, 3 * to + 1}, 1.2e8, 1, 1086});
    }
  }
  std::stable_sort(system.flows.begin(), system.flows.end(),
                   [](const SystemFlow& a, const SystemFlow& b) { return a.at_s < b.at_s; });
  return system;
}

/// Exactly, and with the usual error: then no end is off by more than a ten-thousandth of its flow's duration.
void check_ends(const System& system, double tolerance) {
  constexpr double usual_tolerance = 1e-4;
  const std::vector<double> expected = solve_by_the_book(system), ends = solve(system),
                            usual = solve(system, Accuracy::of(Accuracy::usual_error));
  for (std::size_t flow = 0; flow < ends.size(); ++flow) {
    INFO("flow " << flow);
    REQUIRE(std::abs(ends[flow] - expected[flow]) <= tolerance * expected[flow]);
    REQUIRE(std::abs(usual[flow] - expected[flow]) <= usual_tolerance * (expected[flow] - system.flows[flow].at_s));
  }
}

}  // namespace

TEST_CASE("flows that share a link by halves end when half of it has carried them") {
  // 12 and 24 bytes over 12 B/s: 6 B/s each for 2 s, then the rest of 12 bytes alone.
  const System system{{12}, {{0, {0}, 100, 1, 12}, {0, {0}, 100, 1, 24}}, {}};
  CHECK(solve(system) == std::vector<double>{2, 3});
}

TEST_CASE("a flow that comes later gets its share from then on") {
  // 12 B/s alone for 1 s, then 6 each: the first has 12 bytes left, until 3 s; the second then has 6 left, until 3.5 s.
  const System system{{12}, {{0, {0}, 100, 1, 24}, {1, {0}, 100, 1, 18}}, {}};
  CHECK(solve(system) == std::vector<double>{3, 3.5});
}

TEST_CASE("what a bounded flow leaves is for the others") {
  const System system{{12}, {{0, {0}, 2, 1, 4}, {0, {0}, 100, 1, 20}}, {}};
  CHECK(solve(system) == std::vector<double>{2, 2});
}

TEST_CASE("flows share a link by their weights, and by new ones from when they get them") {
  // Weights 1 and 3 of 12 B/s: 3 and 9 for 1 s, then 6 and 6.
  const System system{{12}, {{0, {0}, 100, 1, 15}, {0, {0}, 100, 3, 21}}, {{1, 1, 1}}};
  CHECK(solve(system) == std::vector<double>{3, 3});
}

TEST_CASE("a long flow pays on its narrowest link only, and a short one gets what that leaves") {
  // The classic line: flow 0 crosses both links, 1 the first, 2 the second. Link 1 (6 B/s) gives 3 each, link 0 (10
  // B/s) leaves 7 to flow 1. All end after 2 s.
  const System system{{10, 6}, {{0, {0, 1}, 100, 1, 6}, {0, {0}, 100, 1, 14}, {0, {1}, 100, 1, 6}}, {}};
  CHECK(solve(system) == std::vector<double>{2, 2, 2});
}

TEST_CASE("drawn systems end as by the book") {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    Draw draw(~seed);
    const Shape shape{.links = 1 + draw.below(12),
                      .longest = 1 + draw.below(4),
                      .flows = 1 + draw.below(40),
                      .spread_s = double(draw.below(20)),
                      .weighted = draw.below(2) == 0};
    check_ends(draw_system(seed, shape), 1e-9);
  }
}

TEST_CASE("drawn systems with many flows on few links end as by the book") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    check_ends(draw_system(seed, {.links = 20, .longest = 4, .flows = 400, .spread_s = 100, .weighted = seed % 2 == 0}),
               1e-9);
  }
}

TEST_CASE("drawn systems of long routes end as by the book") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    check_ends(draw_system(seed, {.links = 60, .longest = 8, .flows = 200, .spread_s = 50, .weighted = false}), 1e-9);
  }
}

TEST_CASE("drawn systems in which many flows have the same route end as by the book") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    const Shape shape{.links = 12,
                      .longest = 4,
                      .flows = 150,
                      .spread_s = double(seed % 100),
                      .weighted = seed % 2 == 0,
                      .routes = 1 + seed % 20};
    check_ends(draw_system(seed, shape), 1e-9);
  }
}

TEST_CASE("flows of one route get equal parts, and each its own bytes") {
  // 12 B/s: 4 each until the one of 8 bytes ends at 2 s, 6 each until the one of 14 ends at 3 s, 12 for the last.
  const System system{{12}, {{0, {0}, 100, 1, 8}, {0, {0}, 100, 1, 14}, {0, {0}, 100, 1, 26}}, {}};
  CHECK(solve(system) == std::vector<double>{2, 3, 4});
}

TEST_CASE("flows of one route that are bound go at their bounds") {
  const System system{{12}, {{0, {0}, 2, 1, 8}, {1, {0}, 2, 1, 8}, {1, {0}, 100, 1, 24}}, {}};
  CHECK(solve(system) == std::vector<double>{4, 5, 4});
}

TEST_CASE("an all-to-all of ranks that come at different times ends as by the book") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    check_ends(all_to_all(24, seed), 1e-9);
  }
}

TEST_CASE("an all-to-all of nodes with several ranks ends as by the book") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    INFO("seed " << seed);
    check_ends(all_to_all(6, seed, 5), 1e-9);
  }
}

TEST_CASE("flows that are alike end at one instant, however many links they depend on") {
  // A ring in which each flow crosses two neighbouring links of 2 B/s: all get 1 B/s.
  System system{std::vector<double>(50, 2.0), {}, {}};
  for (Sharing::Link link = 0; link < 50; ++link) system.flows.push_back({0, {link, (link + 1) % 50}, 10, 1, 7});
  CHECK(solve(system) == std::vector<double>(50, 7));
}

TEST_CASE("the same calls give the same bits") {
  const System system = all_to_all(16, 7);
  CHECK(solve(system) == solve(system));
}

TEST_CASE("bytes that remain are known between events") {
  Sharing sharing(std::vector<double>{12}, 1);
  const Links links{0};
  for (Sharing::Flow flow = 0; flow < 2; ++flow) {
    sharing.prepare(flow, links, 100);
    sharing.add(flow, 0, 12 + 12 * flow);
  }
  CHECK(sharing.next_event() == 2);
  CHECK(sharing.rate(1) == 6);
  CHECK(sharing.remaining_bytes(1, 1) == 18);
  std::vector<Sharing::Flow> ended;
  sharing.advance(2, ended);
  CHECK(ended == std::vector<Sharing::Flow>{0});
  CHECK(sharing.next_event() == 3);
  CHECK(sharing.remaining_bytes(1, 2.5) == 6);
}

TEST_CASE("a link is as good as new after a hundred thousand flows, and while a slow one stays all the time") {
  // Three flows of 1e6 bytes share 1e9 B/s with one that is bound to 1e-3 B/s: 3 ms for each three.
  Sharing sharing(std::vector<double>{1e9}, 1);
  const Links links{0};
  sharing.prepare(0, links, 1e-3);
  sharing.add(0, 0, 1e6);
  std::vector<Sharing::Flow> ended;
  double now_s = 0;
  for (int i = 0; i < 100000 / 3; ++i) {
    for (Sharing::Flow flow = 1; flow <= 3; ++flow) {
      sharing.prepare(flow, links, 2e9);
      sharing.add(flow, now_s, 1e6);
    }
    for (ended.clear(); ended.size() < 3;) {
      now_s = sharing.next_event();
      sharing.advance(now_s, ended);
    }
  }
  CHECK(now_s == Approx(33333 * 3e-3).epsilon(1e-9));
  CHECK(sharing.remaining_bytes(0, now_s) == Approx(1e6 - 1e-3 * now_s).epsilon(1e-12));
}
