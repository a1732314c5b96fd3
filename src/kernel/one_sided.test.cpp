// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "base/error.hpp"
#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;

namespace {

const op::Operation wait = on_requests(op::Kind::WaitAll, first_request);

}  // namespace

TEST_CASE("a put costs its target nothing, and its origin the way there and back", "[kernel]") {
  Bench bench({{access(op::Kind::Put, 1, 100, 1), wait}, {}});
  bench.network.per_byte = 0.01;
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 3);  // latency 1 + 100 bytes × 0.01; the acknowledgement takes the latency again
  CHECK(bench.end(1) == 0);
}

TEST_CASE("a get brings its bytes on the way back", "[kernel]") {
  Bench bench({{access(op::Kind::Get, 1, 100, 1), wait}, {}});
  bench.network.per_byte = 0.01;
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 3);  // the request takes 1, the bytes 1 + 100 × 0.01
}

TEST_CASE("a put of any size starts at once, and the origin pays the overhead of a send", "[kernel]") {
  Bench bench({{access(op::Kind::Put, 1, 5000, 1), compute(10), wait}, {compute(100)}});
  bench.network.send_overhead = 0.5;
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 10.5);  // complete at 2, while it computed
}

TEST_CASE("operations that are counted together complete together", "[kernel]") {
  Bench bench({{access(op::Kind::Put, 1, 0, 1), access(op::Kind::Put, 1, 300, 1), wait}, {}});
  bench.network.per_byte = 0.01;
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 5);  // 1 + 3 there, 1 back
}

TEST_CASE("an operation with a request of its own completes both", "[kernel]") {
  op::Operation put = access(op::Kind::Put, 1, 0, 1);
  put.tag = 2;
  static constexpr std::array<op::RequestId, 1> own{2};
  Bench bench({{put, on_requests(op::Kind::WaitAll, own), wait}, {}});
  REQUIRE(!bench.run());
  CHECK(bench.end(0) == 2);
}

TEST_CASE("accumulates of all origins take effect in the order of their arrival", "[kernel]") {
  Bench bench({{access(op::Kind::Accumulate, 2, 0, 1, 10), wait},
               {access(op::Kind::GetAccumulate, 2, 0, 1, 11), wait},
               {compute(0.5), access(op::Kind::Accumulate, 2, 0, 1, 12), wait}});
  bench.network.extra_latency = {{0, 1}};  // from 0 they take 2, from the others 1
  REQUIRE(!bench.run());
  CHECK(bench.streams.effects == std::vector<std::int64_t>{11, 12, 10});  // at 1, at 1.5, at 2
}

TEST_CASE("accumulates of one origin do not overtake each other", "[kernel]") {
  Bench bench({{access(op::Kind::Accumulate, 1, 500, 1, 1), access(op::Kind::Accumulate, 1, 0, 1, 2), wait},
               {compute(0.5), access(op::Kind::Accumulate, 1, 200, 1, 3), wait}});
  bench.network.per_byte = 0.01;
  REQUIRE(!bench.run());
  CHECK(bench.streams.effects == std::vector<std::int64_t>{3, 1, 2});  // arrived: 1 at 6, 2 at 1, 3 at 3.5
}

TEST_CASE("equal accumulates take effect by rank", "[kernel]") {
  Bench bench({{access(op::Kind::Accumulate, 0, 8, 1, 1), wait},
               {access(op::Kind::Accumulate, 0, 8, 1, 2), wait},
               {access(op::Kind::Accumulate, 0, 8, 1, 3), wait}});
  REQUIRE(!bench.run());
  CHECK(bench.streams.effects == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("a one-sided operation on a rank that does not exist is refused", "[kernel]") {
  Bench bench({{access(op::Kind::Put, 7, 8, 1)}});
  CHECK_THROWS_AS(bench.run(), InputError);
}
