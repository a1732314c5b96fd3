// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/maxmin.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "catch.hpp"

using orrery::sharing::MaxMin;

namespace {

using Links = std::vector<MaxMin::Link>;
using Flows = std::vector<MaxMin::Flow>;

struct Flow {
  Links links;
  double bound;
  double weight = 1;
};

struct System {
  std::vector<double> capacities;
  std::map<MaxMin::Flow, Flow> flows;
};

/// Progressive filling by the book: raise all rates together, each by its weight, and freeze those that meet their
/// bound or a full link.
std::map<MaxMin::Flow, double> fill_by_the_book(const System& system) {
  std::map<MaxMin::Flow, double> rates;
  while (rates.size() < system.flows.size()) {
    std::vector<double> room = system.capacities;
    std::vector<double> rising(room.size(), 0);
    for (const auto& [id, flow] : system.flows)
      for (const auto link : flow.links) rates.count(id) ? room[link] -= rates[id] : rising[link] += flow.weight;

    double level = 1e300;
    for (std::size_t link = 0; link < room.size(); ++link)
      if (rising[link] > 0) level = std::min(level, room[link] / rising[link]);
    for (const auto& [id, flow] : system.flows)
      if (!rates.count(id)) level = std::min(level, flow.bound / flow.weight);

    const auto stops = [&](const Flow& flow) {
      return flow.bound / flow.weight <= level * (1 + 1e-12) ||
             std::any_of(flow.links.begin(), flow.links.end(),
                         [&](auto link) { return room[link] / rising[link] <= level * (1 + 1e-12); });
    };
    std::vector<MaxMin::Flow> frozen;
    for (const auto& [id, flow] : system.flows)
      if (!rates.count(id) && stops(flow)) frozen.push_back(id);
    for (const auto id : frozen) rates[id] = level * system.flows.at(id).weight;
  }
  return rates;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return engine_() % n; }
  /// Often one of few values, so that ties occur.
  double value() { return below(2) == 0 ? 1.0 + below(4) : std::ldexp(1.0 + below(1000) / 1000.0, int(below(8)) - 4); }
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

void check_rates(const System& system, const MaxMin& solver) {
  for (const auto& [id, expected] : fill_by_the_book(system)) {
    INFO("flow " << id);
    REQUIRE(solver.rate(id) == Approx(expected).epsilon(1e-8));
  }
}

/// A flow comes, or the one with its number goes.
void come_or_go(System& system, MaxMin& solver, MaxMin::Flow id, const Flow& flow) {
  if (system.flows.erase(id) == 1) {
    solver.remove(id);
    return;
  }
  solver.prepare(id, flow.links, flow.bound, flow.weight);
  solver.add(id);
  system.flows[id] = flow;
}

/// A flow that is there gets another weight.
void reweigh(System& system, MaxMin& solver, MaxMin::Flow id, double weight) {
  if (!system.flows.contains(id)) return;
  solver.reweigh(id, weight);
  system.flows[id].weight = weight;
}

struct Changes {
  unsigned longest;  ///< route
  unsigned flows;    ///< numbers of flows
  unsigned at_once;  ///< changes between two solves, at most
  int steps;
  bool weighted;
};

/// Rates are right after every step in which flows come and go, and, if they have weights, get others.
void check_changes(const std::vector<double>& capacities, Draw& draw, const Changes& changes) {
  System system{capacities, {}};
  MaxMin solver(capacities, changes.longest);
  const auto links = static_cast<unsigned>(capacities.size());
  for (int step = 0; step < changes.steps; ++step) {
    for (unsigned change = 0; change <= draw.below(changes.at_once); ++change) {
      const Flow flow{draw.links(links, changes.longest), draw.value(), changes.weighted ? draw.value() : 1};
      come_or_go(system, solver, draw.below(changes.flows), flow);
      if (changes.weighted && draw.below(2) == 0) reweigh(system, solver, draw.below(changes.flows), draw.value());
    }
    solver.solve();
    check_rates(system, solver);
  }
}

}  // namespace

TEST_CASE("flows that share one link get equal parts") {
  MaxMin solver(std::vector<double>{12}, 1);
  for (MaxMin::Flow flow = 0; flow < 3; ++flow) solver.add(flow, Links{0}, 100);
  solver.solve();
  for (MaxMin::Flow flow = 0; flow < 3; ++flow) CHECK(solver.rate(flow) == 4);
}

TEST_CASE("what a bounded flow leaves is shared by the others") {
  MaxMin solver(std::vector<double>{12}, 1);
  solver.add(0, Links{0}, 2);
  solver.add(1, Links{0}, 100);
  solver.add(2, Links{0}, 100);
  solver.solve();
  CHECK(solver.rate(0) == 2);
  CHECK(solver.rate(1) == 5);  // (12 − 2) / 2
  CHECK(solver.rate(2) == 5);
}

TEST_CASE("flows that are held back by one link share it by their weights") {
  MaxMin solver(std::vector<double>{12, 5}, 2);
  solver.prepare(0, Links{0}, 100, 0.5);
  solver.prepare(1, Links{0}, 100, 1);
  solver.prepare(2, Links{0, 1}, 100, 1.5);
  for (MaxMin::Flow flow = 0; flow < 3; ++flow) solver.add(flow);
  solver.solve();
  CHECK(solver.rate(0) == Approx(7.0 / 3));  // of what link 1, which gives 5, leaves
  CHECK(solver.rate(1) == Approx(14.0 / 3));
  CHECK(solver.rate(2) == 5);
  solver.remove(1);
  solver.solve();
  CHECK(solver.rate(0) == 7);
  solver.reweigh(2, 0.25);
  CHECK(solver.rate(2) == 5);  // until the next solve
  solver.solve();
  CHECK(solver.rate(0) == 8);
  CHECK(solver.rate(2) == 4);
}

TEST_CASE("a long flow pays on its narrowest link only") {
  // The classic line: flow 0 crosses both links, 1 the first, 2 the second. Link 1 (capacity 6) gives 3 each;
  // link 0 (capacity 10) then leaves 7 to flow 1.
  MaxMin solver(std::vector<double>{10, 6}, 2);
  solver.add(0, Links{0, 1}, 100);
  solver.add(1, Links{0}, 100);
  solver.add(2, Links{1}, 100);
  solver.solve();
  CHECK(solver.rate(0) == 3);
  CHECK(solver.rate(1) == 7);
  CHECK(solver.rate(2) == 3);
}

TEST_CASE("two opposite flows of one node share its limiter") {
  // Up and down 1 each, limiter 1.5 (Bédaride and others 2013, section 4.2): 0.75 each.
  MaxMin solver(std::vector<double>{1, 1, 1.5}, 2);
  solver.add(0, Links{0, 2}, 1);
  solver.add(1, Links{1, 2}, 1);
  solver.solve();
  CHECK(solver.rate(0) == 0.75);
  CHECK(solver.rate(1) == 0.75);
}

TEST_CASE("a flow that leaves gives its part back") {
  MaxMin solver(std::vector<double>{12}, 1);
  for (MaxMin::Flow flow = 0; flow < 3; ++flow) solver.add(flow, Links{0}, 100);
  solver.solve();
  solver.remove(1);
  solver.solve();
  CHECK(solver.rate(0) == 6);
  CHECK(solver.rate(2) == 6);
}

TEST_CASE("only flows whose rate changed are reported") {
  // A ring of three flows over limiters of 1.5: each 0.75, held back on both sides. When flow 1 leaves, 0 and 2 still
  // share limiter 0, so that nothing changes although both lost a neighbour.
  MaxMin solver(std::vector<double>{1.5, 1.5, 1.5}, 2);
  for (MaxMin::Flow flow = 0; flow < 3; ++flow) solver.add(flow, Links{flow, (flow + 1) % 3}, 1);
  CHECK(solver.solve().size() == 3);
  solver.remove(1);
  CHECK(solver.solve().empty());
  CHECK(solver.rate(0) == 0.75);
  solver.remove(2);  // alone: as fast as its bound
  const auto changed = solver.solve();
  CHECK(Flows(changed.begin(), changed.end()) == Flows{0});
  CHECK(solver.rate(0) == 1);
}

TEST_CASE("a link that the bounds of its flows cannot fill joins nobody") {
  MaxMin solver(std::vector<double>{1000, 2}, 2);
  solver.add(0, Links{0, 1}, 2);
  solver.add(1, Links{0}, 5);
  solver.solve();
  solver.add(2, Links{0, 1}, 2);
  const auto changed = solver.solve();
  CHECK(Flows(changed.begin(), changed.end()) == Flows{2, 0});
  CHECK(solver.rate(1) == 5);
}

TEST_CASE("flows that come and go at one instant are solved for together") {
  MaxMin solver(std::vector<double>{12}, 1);
  solver.add(0, Links{0}, 100);
  solver.add(1, Links{0}, 100);
  solver.solve();
  solver.remove(0);
  solver.add(2, Links{0}, 100);
  const auto changed = solver.solve();  // one for another: flow 1 keeps its 6
  CHECK(Flows(changed.begin(), changed.end()) == Flows{2});
  CHECK(solver.rate(2) == 6);
}

TEST_CASE("a flow may come and go before anybody asks, and its number come back") {
  MaxMin solver(std::vector<double>{12}, 1);
  solver.add(0, Links{0}, 100);
  solver.remove(0);
  CHECK(solver.solve().empty());
  solver.add(0, Links{0}, 100);
  solver.remove(0);
  solver.add(0, Links{0}, 5);
  CHECK(solver.solve().size() == 1);
  CHECK(solver.rate(0) == 5);
}

TEST_CASE("a flow that finds its link full gets its part of it") {
  // Nothing is left on link 0 when flow 2 comes; the other two must make room: 4 each.
  MaxMin solver(std::vector<double>{12}, 1);
  solver.add(0, Links{0}, 6);
  solver.add(1, Links{0}, 6);
  solver.solve();
  CHECK(solver.rate(0) == 6);
  solver.add(2, Links{0}, 6);
  solver.solve();
  for (MaxMin::Flow flow = 0; flow < 3; ++flow) CHECK(solver.rate(flow) == 4);
}

TEST_CASE("random systems agree with progressive filling while flows come and go") {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    std::vector<double> capacities(1 + draw.below(12));
    for (double& capacity : capacities) capacity = draw.value();
    check_changes(capacities, draw, {.longest = 4, .flows = 16, .at_once = 4, .steps = 25, .weighted = seed % 2 == 1});
  }
}

TEST_CASE("small systems agree with progressive filling while links fill up and empty for a long time") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    std::vector<double> capacities(2 + draw.below(5));
    for (double& capacity : capacities) capacity = 1 + draw.value();
    check_changes(capacities, draw,
                  {.longest = 3, .flows = 3 + seed % 7, .at_once = 1, .steps = 1500, .weighted = seed % 2 == 1});
  }
}

TEST_CASE("random systems of long chains agree with progressive filling") {
  // Each flow joins two neighbouring links, so that a change can travel far.
  for (unsigned seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    System system;
    system.capacities.resize(60);
    for (double& capacity : system.capacities) capacity = 1.5 + 1e-3 * draw.below(1000);
    MaxMin solver(system.capacities, 2);
    for (int step = 0; step < 40; ++step) {
      const MaxMin::Flow id = draw.below(60);
      if (step >= 5 && system.flows.erase(id) == 1) {
        solver.remove(id);
      } else {
        for (MaxMin::Flow flow = id; flow < std::min(60u, id + 10); ++flow) {
          if (system.flows.count(flow)) continue;
          system.flows[flow] = {{flow, (flow + 1) % 60}, 10.0};
          solver.add(flow, system.flows[flow].links, 10.0);
        }
      }
      solver.solve();
      check_rates(system, solver);
    }
  }
}

TEST_CASE("rates that did not change were not reported as changed, and the other way round") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    const std::vector<double> capacities(6, 2.0);
    MaxMin solver(capacities, 3);
    std::map<MaxMin::Flow, double> known;
    for (int step = 0; step < 30; ++step) {
      const MaxMin::Flow id = draw.below(12);
      if (known.erase(id) == 1)
        solver.remove(id);
      else
        solver.add(id, draw.links(6, 3), draw.value()), known[id] = 0;
      for (const auto flow : solver.solve()) {
        REQUIRE(known.at(flow) != solver.rate(flow));
        known[flow] = solver.rate(flow);
      }
      for (const auto& [flow, rate] : known) REQUIRE(rate == solver.rate(flow));
    }
  }
}

TEST_CASE("a link is as good as new after a million flows") {
  MaxMin solver(std::vector<double>{1e9}, 1);
  solver.add(0, Links{0}, 1e-3);
  for (MaxMin::Flow i = 0; i < 1000000; ++i) {
    solver.add(1 + i % 7, Links{0}, 1e9 / (1 + i % 13));
    if (i >= 3) solver.remove(1 + (i - 3) % 7);
    if (i % 5 == 0) solver.solve();
  }
  for (MaxMin::Flow i = 0; i < 3; ++i) solver.remove(1 + (999999 - i) % 7);
  solver.add(9, Links{0}, 2e9);
  solver.solve();
  CHECK(solver.rate(0) == 1e-3);
  CHECK(solver.rate(9) == Approx(1e9 - 1e-3).epsilon(1e-15));
}
