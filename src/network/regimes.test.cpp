// SPDX-License-Identifier: BSD-3-Clause
#include "network/regimes.hpp"

#include <limits>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::network;

namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a size belongs to the first regime that ends after it") {
  const Regimes regimes(
      "between_nodes",
      {{.end_bytes = 1421, .send_overhead_s = 1}, {.end_bytes = 10001, .send_overhead_s = 2}, {.send_overhead_s = 3}});
  CHECK(regimes.of({0}).send_overhead_s == 1);
  CHECK(regimes.of({1420}).send_overhead_s == 1);
  CHECK(regimes.of({1421}).send_overhead_s == 2);
  CHECK(regimes.of({10000}).send_overhead_s == 2);
  CHECK(regimes.of({10001}).send_overhead_s == 3);
  CHECK(regimes.of({no_end - 1}).send_overhead_s == 3);
}

TEST_CASE("regimes rise and the last has no end") {
  CHECK_THROWS_AS(Regimes("between_nodes", {}), InputError);
  CHECK_THROWS_AS(Regimes("between_nodes", {{.end_bytes = 100}}), InputError);
  CHECK_THROWS_AS(Regimes("between_nodes", {{.end_bytes = 0}, {}}), InputError);
  CHECK_THROWS_WITH(Regimes("inside_node", {{.end_bytes = 100}, {.end_bytes = 100}, {}}),
                    "inside_node regime 2: ends at 100 bytes, but must end after 100 bytes, where it begins");
}

TEST_CASE("a negative slope is accepted as long as no message pays a negative overhead") {
  // graphene's detached regime, as published: 1.94e-4 s at its start falls to 1.78e-4 s at its end.
  CHECK_NOTHROW(Regimes(
      "between_nodes",
      {{.end_bytes = 327681, .send_overhead_s = 1.93970854779561e-4, .send_overhead_s_per_byte = -4.82025737428887e-11},
       {}}));
  // The same without an end would pay less than nothing from 4 MB on.
  CHECK_THROWS_AS(Regimes("between_nodes", {{.send_overhead_s = 1.93970854779561e-4,
                                             .send_overhead_s_per_byte = -4.82025737428887e-11}}),
                  InputError);
}

TEST_CASE("factors must make sense") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(Regimes("between_nodes", {{.bandwidth_factor = 0}}), InputError);
  CHECK_THROWS_AS(Regimes("between_nodes", {{.bandwidth_factor = nan}}), InputError);
  CHECK_THROWS_AS(Regimes("between_nodes", {{.latency_factor = -1}}), InputError);
  CHECK_THROWS_AS(Regimes("between_nodes", {{.latency_s = std::numeric_limits<double>::infinity()}}), InputError);
  CHECK_THROWS_AS(Regimes("between_nodes", {{.recv_overhead_s = -1}}), InputError);
}
