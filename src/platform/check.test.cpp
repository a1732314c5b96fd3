// SPDX-License-Identifier: BSD-3-Clause
#include "platform/check.hpp"

#include <functional>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "catch.hpp"
#include "platform/resolve.hpp"

using namespace orrery;
using namespace orrery::platform;

namespace {

settings::Cluster good_cluster() {
  return {.name = "c",
          .nodes = 2,
          .cores = 1,
          .bandwidth_bytes_per_s = 1.25e8,
          .latency_s = 2e-5,
          .limiter_factor = 1.5,
          .memory_bandwidth_bytes_per_s = 6e9};
}

/// What `check` says about the good cluster after `spoil`, or "accepted".
std::string complaint(const std::function<void(settings::Cluster&)>& spoil) {
  settings::Cluster cluster = good_cluster();
  spoil(cluster);
  try {
    check({resolved(std::move(cluster))}, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a sound cluster is accepted, also without any latency") {
  CHECK(complaint([](settings::Cluster&) {}) == "accepted");
  CHECK(complaint([](settings::Cluster& c) { c.latency_s = 0; }) == "accepted");
}

TEST_CASE("a mistake in a cluster is reported with its name, the key and what it may hold") {
  CHECK(complaint([](settings::Cluster& c) { c.memory_bandwidth_bytes_per_s = -1; }) ==
        "cluster \"c\".memory_bandwidth_bytes_per_s is -1, but must be more than 0");
  CHECK(complaint([](settings::Cluster& c) {
          c.torus = {.sizes = {4, 0}, .bandwidth_bytes_per_s = 1};
        }) == "cluster \"c\".torus.sizes is 0, but must be more than 0");
  CHECK(complaint([](settings::Cluster& c) { c.torus = {.sizes = {}, .bandwidth_bytes_per_s = 1}; }) ==
        "cluster \"c\".torus.sizes.length is 0, but must be at least 1 and at most 16");
}

TEST_CASE("no key of a cluster, a graph or a wide-area link may be infinite or no number") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(complaint([&](settings::Cluster& c) { c.memory_latency_s = nan; }) ==
        "cluster \"c\".memory_latency_s is nan, but must be at least 0");
  CHECK(complaint([&](settings::Cluster& c) { c.speed = infinite; }) ==
        "cluster \"c\".speed is inf, but must be more than 0");
  CHECK(complaint([&](settings::Cluster& c) { c.limiter_factor = 0.9; }) ==
        "cluster \"c\".limiter_factor is 0.9, but must be at least 1 and at most 2");
  CHECK(mentions(complaint([&](settings::Cluster& c) {
                   c.graph = {.nodes = {{.name = "a"}}, .links = {{.name = "l", .bandwidth_bytes_per_s = infinite}}};
                 }),
                 ".graph.links.bandwidth_bytes_per_s is inf"));
  settings::Cluster other = good_cluster();
  other.name = "d";
  const settings::Wan wan{.from_cluster = "c", .to_cluster = "d", .bandwidth_bytes_per_s = 1e9, .latency_s = nan};
  CHECK_THROWS_WITH(check({good_cluster(), other}, {wan}),
                    "wide-area link \"c\" - \"d\".latency_s is nan, but must be at least 0");
}

TEST_CASE("the cores of a node are shared equally by its sockets") {
  CHECK(complaint([](settings::Cluster& c) { c.cores = 6, c.sockets = 3; }) == "accepted");
  CHECK(mentions(complaint([](settings::Cluster& c) { c.cores = 6, c.sockets = 4; }), "6 cores"));
}

TEST_CASE("hosts of virtual machines are full, up to the last one, and have no topology") {
  settings::Cluster cluster = good_cluster();
  cluster.nodes = 5;
  cluster.virtual_ = settings::Virtual{.per_host = 2};
  std::vector<std::uint32_t> machines;
  for (const settings::Cabinet& host : resolved(cluster).cabinets) machines.push_back(host.nodes);
  CHECK(machines == std::vector<std::uint32_t>{2, 2, 1});
  cluster.torus = {.sizes = {5}, .bandwidth_bytes_per_s = 1};
  CHECK_THROWS_WITH(check({resolved(cluster)}, {}),
                    "cluster \"c\": has virtual machines, so it has neither a topology nor rails");
  cluster.torus.reset();
  cluster.rails = 2;
  CHECK_THROWS_WITH(check({resolved(cluster)}, {}),
                    "cluster \"c\": has virtual machines, so it has neither a topology nor rails");
}

TEST_CASE("every cluster has a site, or none has") {
  settings::Cluster here = good_cluster(), there = good_cluster();
  there.name = "d";
  here.site = "Nancy";
  CHECK_THROWS_WITH(check({here, there}, {}), "cluster \"d\": name the site of every cluster, or of none");
  there.site = "Nancy";
  CHECK_NOTHROW(check({here, there}, {}));
}

TEST_CASE("nodes have links unless they are those of a graph, and a backbone with a latency has a rate") {
  CHECK(mentions(complaint([](settings::Cluster& c) { c.bandwidth_bytes_per_s = 0; }), "bandwidth_bytes_per_s is 0"));
  CHECK(mentions(complaint([](settings::Cluster& c) { c.backbone_latency_s = 1e-6; }), "backbone_latency"));
}

TEST_CASE("a cabinet must have nodes and a name of its own") {
  CHECK(mentions(complaint([](settings::Cluster& c) { c.nodes.reset(); }), "cabinet \"c-cabinet-1\": has no nodes"));
  CHECK(mentions(complaint([](settings::Cluster& c) {
                   c.cabinets = {{.name = "a", .nodes = 2}, {.name = "a", .nodes = 2}};
                 }),
                 "occurs twice"));
}

TEST_CASE("clusters have names of their own, and wide-area links join two of them") {
  const settings::Cluster first = good_cluster();
  settings::Cluster second = good_cluster();
  CHECK_THROWS_AS(check({}, {}), InputError);
  CHECK_THROWS_AS(check({first, second}, {}), InputError);
  second.name = "d";
  CHECK_NOTHROW(check({first, second}, {{.from_cluster = "c", .to_cluster = "d", .bandwidth_bytes_per_s = 1e9}}));
  CHECK_THROWS_AS(check({first, second}, {{.from_cluster = "d", .to_cluster = "d", .bandwidth_bytes_per_s = 1e9}}),
                  InputError);
  CHECK_THROWS_AS(check({first, second}, {{.from_cluster = "c", .to_cluster = "d"}}), InputError);
}

TEST_CASE("two hosts with one name are reported") {
  CHECK_NOTHROW(check_distinct({{"a1"}, {"a2"}}));
  CHECK_THROWS_AS(check_distinct({{"a1"}, {"a2"}, {"a1"}}), InputError);
}
