// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <optional>

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/topology/topology.hpp"

using namespace orrery::mpi;
using testing::error_of;

namespace {

std::vector<int> dims_for(int nodes, std::vector<int> dims) {
  dims_create(nodes, static_cast<int>(dims.size()), dims.data());
  return dims;
}

/// Smallest difference between largest and smallest factor, by trying all.
std::optional<int> least_spread(int rest, int factors, int most, int first) {
  if (factors == 1) return rest <= most ? std::optional(std::max(first, rest) - rest) : std::nullopt;
  std::optional<int> least;
  for (int factor = 1; factor <= std::min(rest, most); ++factor) {
    if (rest % factor != 0) continue;
    const auto spread = least_spread(rest / factor, factors - 1, factor, first == 0 ? factor : first);
    if (spread && (!least || *spread < *least)) least = spread;
  }
  return least;
}

}  // namespace

TEST_CASE("dimensions are as equal as the number of nodes allows, and do not increase") {
  CHECK(dims_for(6, {0, 0}) == std::vector{3, 2});        // MPI-4.1, example 8.1
  CHECK(dims_for(7, {0, 0}) == std::vector{7, 1});        // the same
  CHECK(dims_for(6, {0, 3, 0}) == std::vector{2, 3, 1});  // the same
  CHECK(dims_for(1260, {0, 0}) == std::vector{36, 35});
  CHECK(dims_for(64, {0, 0, 0}) == std::vector{4, 4, 4});
  CHECK(dims_for(5040, {0, 0, 0}) == std::vector{21, 16, 15});  // rather than 20, 18, 14
  CHECK(dims_for(5616, {0, 0, 0, 0}) == std::vector{13, 9, 8, 6});
  for (int nodes = 1; nodes <= 360; ++nodes) {
    for (const std::size_t count : {1, 2, 3, 4}) {
      const auto dims = dims_for(nodes, std::vector<int>(count));
      REQUIRE(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()) == nodes);
      REQUIRE(std::ranges::is_sorted(dims, std::greater<>()));
      REQUIRE(dims.front() - dims.back() == least_spread(nodes, static_cast<int>(count), nodes, 0));
    }
  }
}

TEST_CASE("dimensions of the largest and most divisible numbers are found at once") {
  CHECK(dims_for(2'147'483'647, {0, 0}) == std::vector{2'147'483'647, 1});  // a prime
  const auto dims = dims_for(2'095'133'040, {0, 0, 0, 0, 0, 0, 0});         // 1,600 divisors
  CHECK(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()) == 2'095'133'040);
  CHECK(dims_for(1 << 30, std::vector<int>(40)).front() == 2);
}

TEST_CASE("dimensions that cannot be are errors") {
  CHECK(error_of([] { dims_for(6, {4, 0}); }) == err_dims);
  CHECK(error_of([] { dims_for(6, {2, 2}); }) == err_dims);
  CHECK(error_of([] { dims_for(6, {-1, 0}); }) == err_dims);
  CHECK(error_of([] { dims_for(0, {0, 0}); }) == err_arg);
  CHECK(error_of([] { dims_create(1, -1, nullptr); }) == err_dims);
  CHECK(error_of([] { dims_create(1, 0, nullptr); }) == 0);
}
