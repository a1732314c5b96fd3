// SPDX-License-Identifier: BSD-3-Clause
#include "transport/transport.hpp"

#include <random>

#include "catch.hpp"
#include "network/example.test.hpp"

using namespace orrery;
using namespace orrery::transport;
using namespace orrery::network::example;

namespace {

settings::Network regimes() {
  using network::Protocol;
  return {.between_nodes = {{.end_bytes = 100, .send_overhead_s = 0.1, .latency_factor = 1.5, .bandwidth_factor = 0.7},
                            {.end_bytes = 250, .protocol = Protocol::Detached, .latency_factor = 2},
                            {.protocol = Protocol::Synchronous, .latency_factor = 3}},
          .inside_node = {{.end_bytes = 200}, {.protocol = Protocol::Synchronous}},
          .framing = {.header_bytes = 4, .store_and_forward = true, .frames = settings::Frames{.payload_bytes = 40}},
          .tcp_window_bytes = 300,
          .burst_bytes = 50,
          .rate_noise = 0.1};
}

std::vector<Message> drawn(unsigned seed, platform::HostId hosts) {
  std::mt19937 draw(seed);
  std::vector<Message> messages;
  double start_s = 0;
  for (int i = 0; i < 80; ++i) {
    start_s += draw() % 3 == 0 ? 0.25 * (draw() % 5) : 0;
    const platform::HostId from = draw() % hosts;
    messages.push_back(
        {start_s, from, static_cast<platform::HostId>(draw() % hosts), 1 + static_cast<int>(draw() % 400)});
  }
  return messages;
}

}  // namespace

TEST_CASE("a transport without settings leaves a model as it is, to the last bit") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::vector<Message> messages = drawn(seed, 5);
    const Run model(*network::make_hybrid(star(5), regimes(), seed), messages);
    const Run handed_on(*make_transport(network::make_hybrid(star(5), regimes(), seed)), messages);
    const Run without(*make_transport(std::make_unique<network::Hybrid>(star(5), regimes(), seed), {}), messages);
    REQUIRE(model.end_s.size() == messages.size());
    for (const Run* run : {&handed_on, &without}) {
      CHECK(run->end_s == model.end_s);
      CHECK(run->order == model.order);
    }
  }
}

TEST_CASE("costs without settings are those of the model") {
  const auto model = network::make_hybrid(star(3), regimes());
  const auto without = make_transport(std::make_unique<network::Hybrid>(star(3), regimes(), 0), {});
  for (const std::int64_t bytes : {0, 99, 100, 300}) {
    for (const platform::HostId to : {0u, 1u}) {
      const network::Cost expected = model->cost(0, to, {bytes}), cost = without->cost(0, to, {bytes});
      CHECK(cost.protocol == expected.protocol);
      CHECK(cost.send_overhead == expected.send_overhead);
      CHECK(cost.recv_overhead == expected.recv_overhead);
      CHECK(cost.latency == expected.latency);
    }
  }
  CHECK(without->rts_delay(0, 1, {0}) == Duration{});
}
