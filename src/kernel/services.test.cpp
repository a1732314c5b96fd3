// SPDX-License-Identifier: BSD-3-Clause
#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;

namespace {

/// Starts as many ranks as the request's tag says.
class Starter final : public Services {
 public:
  Served serve(std::int32_t rank, const op::Operation& operation, std::int32_t next_rank) override {
    asked.push_back({rank, next_rank});
    return {.reply = {.flag = true, .source = next_rank}, .new_ranks = static_cast<std::uint32_t>(operation.tag)};
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> asked;
};

op::Operation start(int ranks) { return {.kind = op::Kind::Service, .tag = ranks}; }

}  // namespace

TEST_CASE("ranks that are started during a run begin after the cost of starting them, and take part") {
  op::Operation sleep = simple(op::Kind::Sleep);
  sleep.bytes = {2'000'000'000};
  Bench bench({{sleep, start(2), recv(3, 8)}, {}, {}, {send(0, 8)}});
  Starter starter;
  bench.config.initial_ranks = 2;
  bench.config.spawn_cost = {0.5};
  bench.config.services = &starter;
  CHECK_FALSE(bench.run());
  CHECK(starter.asked == std::vector<std::pair<std::int32_t, std::int32_t>>{{0, 2}});
  const auto ends = bench.simulation->end_of_ranks();
  REQUIRE(ends.size() == 4);
  CHECK(ends[1].s == 0);
  CHECK(ends[2].s == 2.5);  // 2 s of sleep and 0.5 s until it starts
  CHECK(ends[0].s == 3.5);  // and 1 s for the message from rank 3
}

TEST_CASE("ranks that are never started do not keep a run from ending") {
  Bench bench({{compute(1)}, {}, {}});
  bench.config.initial_ranks = 1;
  CHECK_FALSE(bench.run());
  CHECK(bench.simulation->end_of_ranks().size() == 1);
}
