// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/virtual_processors.hpp"

#include <array>

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

using namespace testing;

/// Four virtual machines of two processors: two on each host, whose cores are as given; 0: as many as its machines
/// have.
platform::Platform machines(std::uint32_t host_cores, std::uint32_t others = 0) {
  settings::Cluster cluster{.name = "c",
                            .nodes = 4,
                            .cores = 2,
                            .bandwidth_bytes_per_s = 1e9,
                            .memory_bandwidth_bytes_per_s = 1e9,
                            .virtual_ = settings::Virtual{.per_host = 2, .other_cores = others}};
  if (host_cores > 0) cluster.virtual_->host_cores = host_cores;
  return {"p", {cluster}, {}};
}

/// Slices of a second.
settings::Node slices() { return {.hypervisor = settings::Hypervisor{.slice_s = 1}}; }

TEST_CASE("nodes that are hosts have no virtual processors") {
  const platform::Platform hosts(
      "p", {{.name = "c", .nodes = 2, .cores = 1, .bandwidth_bytes_per_s = 1e9, .memory_bandwidth_bytes_per_s = 1e9}},
      {});
  const std::array<platform::HostId, 2> ranks{0, 1};
  CHECK(seats_on(hosts, ranks).empty());
}

TEST_CASE("the virtual processors of a host that ranks are on want its cores") {
  const std::array<platform::HostId, 4> ranks{0, 0, 1, 2};
  const auto seats = seats_on(machines(2), ranks);
  REQUIRE(seats.size() == 4);
  for (const int rank : {0, 1, 2}) {
    CHECK(seats[rank]->host == 0);
    CHECK(seats[rank]->number == static_cast<std::uint32_t>(rank));
    CHECK(seats[rank]->wanted == 3);
    CHECK(seats[rank]->cores == 2);
  }
  CHECK(seats[3]->host == 1);
  CHECK(seats[3]->wanted == 1);
  CHECK(seats_on(machines(0), ranks)[0]->cores == 4);
  CHECK(seats_on(machines(2, 5), ranks)[3]->wanted == 6);
}

TEST_CASE("ranks of one virtual processor want one core, and ranks that come later none") {
  const std::array<platform::HostId, 4> ranks{0, 0, 0, 1};
  const auto seats = seats_on(machines(1), ranks);
  CHECK(seats[2]->number == seats[0]->number);
  CHECK(seats[0]->wanted == 3);
  CHECK(seats_on(machines(1), ranks, 1)[0]->wanted == 1);
}

TEST_CASE("computation lasts as long as its slices and those of the others") {
  Bench bench({{compute(10)}, {compute(10)}});
  bench.config.node = slices();
  bench.config.seats = {node::Seat{.number = 0, .wanted = 2}, node::Seat{.number = 1, .wanted = 2}};
  REQUIRE_FALSE(bench.run());
  const auto ends = bench.simulation->end_of_ranks();
  // 10 s in slices of 1 s: nine or ten whole pauses, and a part of one more.
  for (const std::size_t rank : {0, 1}) {
    const node::VirtualProcessor own(*bench.config.node.hypervisor, *bench.config.seats[rank], 0);
    CHECK(ends[rank].s == Approx(own.lasts({0}, {10}).s));
    CHECK((ends[rank].s >= 19 && ends[rank].s <= 21));
  }
  CHECK(bench.simulation->profile()[0].time.s == Approx(ends[0].s));
}

TEST_CASE("a message waits until its receiver has a core") {
  Bench bench({{send(1, 0)}, {recv(0, 0)}});
  bench.config.node = slices();
  bench.config.seats = {std::nullopt, node::Seat{.number = 0, .wanted = 2}};
  const node::VirtualProcessor receiver(*bench.config.node.hypervisor, *bench.config.seats[1], 0);
  REQUIRE_FALSE(bench.run());
  CHECK(bench.simulation->end_of_ranks()[1].s == Approx(1 + receiver.absence({1}).s));
}

TEST_CASE("a rank that sleeps goes on some time after its message has come, and one that is busy does not wait") {
  const auto end_of_receiver = [](double compute_s, double delay_s) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Bench bench({{send(1, 0)}, {compute(compute_s), recv(0, 0)}});
      bench.config.node = {.hypervisor = settings::Hypervisor{.wake_delay_s = delay_s}};
      bench.config.seats = {node::Seat{}, node::Seat{.host = 1}};
      bench.config.seed = seed;
      REQUIRE_FALSE(bench.run());
      sum += bench.simulation->end_of_ranks()[1].s;
    }
    return sum / 2000;
  };
  // The message takes 1 s. Three standard errors of an exponential with mean 0.5: 3 × 0.5 / sqrt(2000) = 0.034.
  CHECK(end_of_receiver(0, 0.5) == Approx(1.5).margin(0.034));
  CHECK(end_of_receiver(2, 0.5) == 2);
  CHECK(end_of_receiver(0, 0) == 1);
}

TEST_CASE("a rendezvous waits until both its ends have had a core") {
  Bench bench({{send(1, 5000)}, {recv(0, 5000)}});
  bench.config.node = slices();
  bench.config.seats = {node::Seat{.number = 1, .wanted = 2}, node::Seat{.number = 0, .wanted = 2}};
  REQUIRE_FALSE(bench.run());
  const settings::Hypervisor& settings = *bench.config.node.hypervisor;
  const node::VirtualProcessor sender(settings, *bench.config.seats[0], 0),
      receiver(settings, *bench.config.seats[1], 0);
  // Both post at once. The receiver answers when it has a core, the sender sends when it then has one, for 1 s.
  const SimTime answered{receiver.absence({0}).s};
  const SimTime there = answered + sender.absence(answered) + Duration{1};
  CHECK(bench.end(1) == Approx((there + receiver.absence(there)).s));
}

}  // namespace
}  // namespace orrery::kernel
