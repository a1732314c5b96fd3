// SPDX-License-Identifier: BSD-3-Clause
#include "platform/wan_paths.hpp"

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::platform;

namespace {

std::vector<ClusterSpec> named(std::initializer_list<const char*> names) {
  std::vector<ClusterSpec> clusters;
  for (const char* name : names) clusters.push_back({.name = name, .prefix = {}, .cabinets = {}, .gateway_note = {}});
  return clusters;
}

WanSpec link(std::uint32_t from, std::uint32_t to, double latency_s) {
  return {.from = from, .to = to, .bandwidth = {1e9}, .latency = {latency_s}};
}

std::vector<std::uint32_t> links_of(std::span<const WanPaths::Hop> path) {
  std::vector<std::uint32_t> links;
  for (const WanPaths::Hop& hop : path) links.push_back(hop.wan);
  return links;
}

}  // namespace

TEST_CASE("a path takes the fewest links even where more would be quicker") {
  // 0-1-2 costs 2 ms in two links, 0-2 costs 9 ms in one.
  const WanPaths paths(named({"a", "b", "c"}), {link(0, 1, 1e-3), link(1, 2, 1e-3), link(0, 2, 9e-3)});
  CHECK(links_of(paths.between(0, 2)) == std::vector<std::uint32_t>{2});
  CHECK(paths.longest() == 1);
}

TEST_CASE("among paths of equal length the smallest latency wins, then the first given") {
  // 0-1-3 costs 3 ms, 0-2-3 costs 2 ms; of the two links 2-3 (3 and 4, 1 ms both) the first is taken.
  const WanPaths paths(named({"a", "b", "c", "d"}),
                       {link(0, 1, 1e-3), link(1, 3, 2e-3), link(0, 2, 1e-3), link(2, 3, 1e-3), link(2, 3, 1e-3)});
  CHECK(links_of(paths.between(0, 3)) == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE("a link is crossed backwards on the way back") {
  const WanPaths paths(named({"a", "b"}), {link(0, 1, 1e-3)});
  REQUIRE(paths.between(1, 0).size() == 1);
  CHECK(!paths.between(1, 0)[0].forward);
  CHECK(paths.between(1, 0)[0].arrives_at == 0);
  CHECK(paths.between(0, 0).empty());
}

TEST_CASE("clusters that nothing joins are named") {
  CHECK_THROWS_WITH(WanPaths(named({"a", "b", "c"}), {link(0, 1, 1e-3)}),
                    "clusters \"a\" and \"c\" are not joined by wide-area links, directly or through others; add one");
}
