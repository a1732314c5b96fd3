// SPDX-License-Identifier: BSD-3-Clause
#include "platform/wan_paths.hpp"

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::platform;

namespace {

std::vector<settings::Cluster> named(std::initializer_list<const char*> names) {
  std::vector<settings::Cluster> clusters;
  for (const char* name : names) clusters.push_back({.name = name});
  return clusters;
}

settings::Wan link(const char* from, const char* to, double latency_s) {
  return {.from_cluster = from, .to_cluster = to, .bandwidth_bytes_per_s = 1e9, .latency_s = latency_s};
}

std::vector<std::uint32_t> links_of(std::span<const WanPaths::Hop> path) {
  std::vector<std::uint32_t> links;
  for (const WanPaths::Hop& hop : path) links.push_back(hop.wan);
  return links;
}

}  // namespace

TEST_CASE("a path takes the fewest links even where more would be quicker") {
  // a-b-c costs 2 ms in two links, a-c costs 9 ms in one.
  const WanPaths paths(named({"a", "b", "c"}), {link("a", "b", 1e-3), link("b", "c", 1e-3), link("a", "c", 9e-3)});
  CHECK(links_of(paths.between(0, 2)) == std::vector<std::uint32_t>{2});
  CHECK(paths.longest() == 1);
}

TEST_CASE("among paths of equal length the smallest latency wins, then the first given") {
  // a-b-d costs 3 ms, a-c-d costs 2 ms; of the two links c-d (3 and 4, 1 ms both) the first is taken.
  const WanPaths paths(named({"a", "b", "c", "d"}), {link("a", "b", 1e-3), link("b", "d", 2e-3), link("a", "c", 1e-3),
                                                     link("c", "d", 1e-3), link("c", "d", 1e-3)});
  CHECK(links_of(paths.between(0, 3)) == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE("a link is crossed backwards on the way back") {
  const WanPaths paths(named({"a", "b"}), {link("a", "b", 1e-3)});
  REQUIRE(paths.between(1, 0).size() == 1);
  CHECK(!paths.between(1, 0)[0].forward);
  CHECK(paths.between(1, 0)[0].arrives_at == 0);
  CHECK(paths.between(0, 0).empty());
}

TEST_CASE("clusters that nothing joins are named") {
  CHECK_THROWS_WITH(WanPaths(named({"a", "b", "c"}), {link("a", "b", 1e-3)}),
                    "clusters \"a\" and \"c\" are not joined by wide-area links, directly or through others; add one");
}
