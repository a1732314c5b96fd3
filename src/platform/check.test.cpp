// SPDX-License-Identifier: BSD-3-Clause
#include "platform/check.hpp"

#include <functional>
#include <limits>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::platform;

namespace {

ClusterSpec good_cluster() {
  return {.name = "c",
          .prefix = "c-",
          .bandwidth = {1.25e8},
          .latency = {2e-5},
          .limiter_factor = 1.5,
          .memory_bandwidth = {6e9},
          .cabinets = {{.name = "a", .nodes = 2}},
          .gateway_note = {}};
}

/// What `check` says about the good cluster after `spoil`, or "accepted".
std::string complaint(const std::function<void(ClusterSpec&)>& spoil) {
  ClusterSpec cluster = good_cluster();
  spoil(cluster);
  try {
    check({cluster}, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a sound cluster is accepted, also without any latency") {
  CHECK(complaint([](ClusterSpec&) {}) == "accepted");
  CHECK(complaint([](ClusterSpec& c) { c.latency = {}; }) == "accepted");
}

TEST_CASE("a mistake in a cluster is reported with its name, the field and what it may hold") {
  const std::string text = complaint([](ClusterSpec& c) { c.bandwidth = {-1}; });
  CHECK(text == "cluster \"c\": bandwidth is -1, but must be positive");
}

TEST_CASE("the cores of a node are shared equally by its sockets") {
  CHECK(complaint([](ClusterSpec& c) { c.cores = 6, c.sockets = 3; }) == "accepted");
  CHECK(mentions(complaint([](ClusterSpec& c) { c.cores = 6, c.sockets = 4; }), "6 cores"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.sockets = 0; }), "0 sockets"));
}

TEST_CASE("hosts of virtual machines are full, up to the last one") {
  const auto hosts_of = [](std::uint32_t first, std::uint32_t last) {
    return [=](ClusterSpec& c) {
      c.virtual_machines = VirtualMachines{.per_host = 2};
      c.cabinets = {{.name = "a", .nodes = first}, {.name = "b", .nodes = last}};
    };
  };
  CHECK(complaint(hosts_of(2, 2)) == "accepted");
  CHECK(complaint(hosts_of(2, 1)) == "accepted");
  CHECK(mentions(complaint(hosts_of(1, 2)), "has 1 virtual machines, not 2"));
  CHECK(mentions(complaint(hosts_of(2, 3)), "has 3 virtual machines, not 2"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.virtual_machines = VirtualMachines{.per_host = 2}, c.rails = 2; }),
                 "neither a topology nor rails"));
}

TEST_CASE("every cluster has a site, or none has") {
  ClusterSpec here = good_cluster(), there = good_cluster();
  there.name = "d";
  here.site = "Nancy";
  CHECK_THROWS_WITH(check({here, there}, {}), "cluster \"d\": name the site of every cluster, or of none");
  there.site = "Nancy";
  CHECK_NOTHROW(check({here, there}, {}));
}

TEST_CASE("every rate must be positive, every latency not negative, and neither NaN nor infinite") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(mentions(complaint([](ClusterSpec& c) { c.bandwidth = {0}; }), "bandwidth"));
  CHECK(mentions(complaint([&](ClusterSpec& c) { c.bandwidth = {infinite}; }), "bandwidth"));
  CHECK(mentions(complaint([&](ClusterSpec& c) { c.latency = {nan}; }), "latency"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.memory_bandwidth = {0}; }), "memory_bandwidth"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.memory_latency = {-1}; }), "memory_latency"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.speed = 0; }), "speed"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.cores = 0; }), "cores"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.limiter_factor = 0.9; }), "limiter_factor"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.backbone = {-5}; }), "backbone"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.backbone_latency = {1e-6}; }), "backbone_latency"));
}

TEST_CASE("a cabinet must have nodes, a name of its own, and an uplink if it has a limiter") {
  CHECK(mentions(complaint([](ClusterSpec& c) { c.cabinets.clear(); }), "no cabinets"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.cabinets[0].nodes = 0; }), "cabinet \"a\": has no nodes"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.cabinets.push_back(c.cabinets[0]); }), "occurs twice"));
  CHECK(mentions(complaint([](ClusterSpec& c) { c.cabinets[0].limiter = {1e9}; }), "give its uplink"));
}

TEST_CASE("clusters have names of their own, and wide-area links join two that exist") {
  const ClusterSpec first = good_cluster();
  ClusterSpec second = good_cluster();
  CHECK_THROWS_AS(check({}, {}), InputError);
  CHECK_THROWS_AS(check({first, second}, {}), InputError);
  second.name = "d";
  const WanSpec good{.from = 0, .to = 1, .bandwidth = {1e9}};
  CHECK_NOTHROW(check({first, second}, {good}));
  CHECK_THROWS_AS(check({first, second}, {{.from = 0, .to = 2, .bandwidth = {1e9}}}), InputError);
  CHECK_THROWS_AS(check({first, second}, {{.from = 1, .to = 1, .bandwidth = {1e9}}}), InputError);
  CHECK_THROWS_AS(check({first, second}, {{.from = 0, .to = 1}}), InputError);
}

TEST_CASE("two hosts with one name are reported") {
  CHECK_NOTHROW(check_distinct({{"a1"}, {"a2"}}));
  CHECK_THROWS_AS(check_distinct({{"a1"}, {"a2"}, {"a1"}}), InputError);
}
