// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "catch.hpp"
#include "network/example.test.hpp"
#include "network/network.hpp"
#include "sharing/by_the_book.test.hpp"

using namespace orrery;
using namespace orrery::network;
using namespace orrery::network::example;

namespace {

/// Simulates messages without any incremental bookkeeping: between two events all rates are solved for anew, and every
/// flow moves on.
std::map<TransferId, double> simulate_by_the_book(const platform::Platform& platform,
                                                  const std::vector<Message>& messages) {
  struct Flow {
    double enters_s, remaining;
    bool done = false;
  };
  std::vector<Flow> flows;
  std::vector<sharing::example::SharedFlow> shared;
  for (const Message& m : messages) {
    platform::Route route;
    platform.route(m.from, m.to, route);
    flows.push_back({m.start_s + route.latency.s, static_cast<double>(m.bytes)});
    shared.push_back({{route.links.begin(), route.links.end()}, route.bandwidth.bytes_per_s});
  }
  std::vector<double> capacities;
  for (const auto& link : platform.links()) capacities.push_back(link.bandwidth.bytes_per_s);

  std::map<TransferId, double> ends;
  for (double now = 0; ends.size() < flows.size();) {
    std::vector<std::size_t> there;
    for (TransferId id = 0; id < flows.size(); ++id)
      if (flows[id].enters_s <= now && !flows[id].done) there.push_back(id);
    const std::vector<double> rates = sharing::example::fill_by_the_book(capacities, shared, there);

    double next = 1e300;
    for (TransferId id = 0; id < flows.size(); ++id)
      if (const Flow& flow = flows[id]; !flow.done)
        next = std::min(next, flow.enters_s > now ? flow.enters_s : now + flow.remaining / rates[id]);
    for (TransferId id = 0; id < flows.size(); ++id) {
      Flow& flow = flows[id];
      if (flow.done || flow.enters_s > now) continue;
      flow.remaining -= rates[id] * (next - now);
      if (flow.remaining > 1e-9) continue;
      flow.done = true;
      ends[id] = next;
    }
    now = next;
  }
  return ends;
}

std::vector<Message> random_messages(unsigned seed, platform::HostId hosts) {
  std::mt19937 draw(seed);
  std::vector<Message> messages;
  double start_s = 0;
  for (int i = 0; i < 60; ++i) {
    start_s += draw() % 3 == 0 ? 0.25 * (draw() % 4) : 0;
    const platform::HostId from = draw() % hosts;
    messages.push_back(
        {start_s, from, static_cast<platform::HostId>(draw() % hosts), 1 + static_cast<int>(draw() % 400)});
  }
  return messages;
}

}  // namespace

TEST_CASE("fluid charges latency and bandwidth only, and sends everything at once") {
  const auto model = make_fluid(star(2));
  const Cost cost = model->cost(0, 1, {1 << 30});
  CHECK(cost.protocol == Protocol::Asynchronous);
  CHECK(cost.send_overhead.s == 0);
  CHECK(cost.recv_overhead.s == 0);
  CHECK(cost.latency.s == 2);
  CHECK(Run(*model, {{0, 0, 1, 250}}).end_s[0] == Approx(4.5));  // 2 s + 250 B / 100 B/s
}

TEST_CASE("fluid keeps the protocols of a platform, and neither its overheads nor its factors") {
  const settings::Regime eager{.end_bytes = 100, .send_overhead_s = 7, .latency_factor = 3};
  const settings::Regime large{
      .protocol = Protocol::Synchronous, .recv_overhead_s = 7, .bandwidth_factor = 0.5, .latency_s = 9};
  const auto model = make_fluid(star(2), {.between_nodes = {eager, large}, .inside_node = {{}}});
  CHECK(model->cost(0, 1, {99}).protocol == Protocol::Asynchronous);
  for (const std::int64_t bytes : {99, 100}) {
    const Cost cost = model->cost(0, 1, {bytes});
    CHECK(cost.send_overhead.s == 0);
    CHECK(cost.recv_overhead.s == 0);
    CHECK(cost.latency.s == 2);
  }
  CHECK(model->cost(0, 1, {100}).protocol == Protocol::Synchronous);
  // The receive comes at 10 s; then 2 s and 250 B at 100 B/s.
  CHECK(Run(*model, {{0, 0, 1, 250, 10}}).end_s[0] == Approx(14.5));
}

TEST_CASE("a message that joins halves the rate of the first until that one ends") {
  // Both leave node 0. The first is alone from 2 to 2.5 s (50 B), then both run at 50 B/s; the first ends at 3.5 s,
  // when the second has 50 B left and 100 B/s for them.
  const auto model = make_fluid(star(3, 1, 2));
  Run run(*model, {{0, 0, 1, 100}, {0.5, 0, 2, 100}});
  CHECK(run.end_s[0] == Approx(3.5));
  CHECK(run.end_s[1] == Approx(4));
}

TEST_CASE("messages between other nodes do not feel each other") {
  const auto model = make_fluid(star(4));
  Run run(*model, {{0, 0, 1, 100}, {0, 2, 3, 100}});
  CHECK(run.end_s[0] == Approx(3));
  CHECK(run.end_s[1] == Approx(3));
}

TEST_CASE("an empty message takes the latency, and nothing where there is none") {
  CHECK(Run(*make_fluid(star(2)), {{1, 0, 1, 0}}).end_s[0] == 3);
  CHECK(Run(*make_fluid(star(2, 0)), {{1, 0, 1, 0}}).end_s[0] == 1);
  CHECK(Run(*make_fluid(star(2, 0)), {{1, 0, 0, 0}}).end_s[0] == 1);
  CHECK(Run(*make_fluid(star(2, 0)), {{1, 0, 1, 50}}).end_s[0] == 1.5);
}

TEST_CASE("messages that end at one instant are handed over together, in the order of their starts") {
  const auto model = make_fluid(star(6));
  // All end at 3 s: the empty one started last, the others share nothing.
  Run run(*model, {{0, 4, 5, 100}, {0, 0, 1, 100}, {0, 2, 3, 100}, {1, 1, 0, 0}});
  CHECK(run.order == std::vector<TransferId>{0, 1, 2, 3});
  CHECK(run.handed_over == std::vector<std::size_t>{4});
}

TEST_CASE("ends that only rounding keeps apart are one instant, in the order of the starts") {
  // 0.1 + 0.2 is one spacing of doubles after 0.25 + 0.05: the message that started first would come second.
  static_assert(0.1 + 0.2 > 0.25 + 0.05);
  const auto model = make_fluid(star(2, 0.1));  // 0.2 s between the nodes, 0.05 s inside one
  Run run(*model, {{0.1, 0, 1, 0}, {0.25, 0, 0, 0}});
  CHECK(run.order == std::vector<TransferId>{0, 1});
  CHECK(run.handed_over == std::vector<std::size_t>{2});
}

TEST_CASE("equal messages of a symmetric exchange end at one instant") {
  // Seven nodes, each sends to every other one. Rates of sevenths and sixths round differently, but by symmetry the
  // messages that start together end together.
  std::vector<Message> messages;
  for (platform::HostId distance = 1; distance < 7; ++distance)
    for (platform::HostId from = 0; from < 7; ++from)
      messages.push_back({0.1 * distance, from, (from + distance) % 7, 1000});
  Run run(*make_fluid(star(7)), messages);
  CHECK(run.handed_over.size() <= 6);  // at most one end per starting time
}

TEST_CASE("a message of one byte ends even late in a long simulation") {
  // At 10^9 s the spacing of times is 10^-7 s, ten times what the byte takes.
  const auto model = make_fluid(star(2, 0));
  Run run(*model, {{1e9, 0, 1, 1}, {1e9, 1, 0, 1}});
  CHECK(run.end_s.size() == 2);
}

TEST_CASE("random messages end when a simulation without shortcuts says") {
  const auto platform = star(5);
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const auto messages = random_messages(seed, 5);
    Run run(*make_fluid(platform), messages);
    for (const auto& [id, end_s] : simulate_by_the_book(platform, messages)) {
      INFO("message " << id);
      REQUIRE(run.end_s.at(id) == Approx(end_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("equal messages give equal times to the last bit, on new and on used models") {
  const auto messages = random_messages(1, 5);
  const auto model = make_fluid(star(5));
  const Run first(*model, messages), other(*make_fluid(star(5)), messages);
  CHECK(first.end_s == other.end_s);
  CHECK(first.order == other.order);
}
