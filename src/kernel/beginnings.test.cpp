// SPDX-License-Identifier: BSD-3-Clause
#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;

TEST_CASE("a rank begins when it leaves MPI_Init, which is a call in its profile") {
  Bench bench({{send(1, 8)}, {recv(0, 8)}});
  bench.config.beginnings = {{{2}, {5}}, {{3}, {4}}};
  bench.config.init_routine = 7;
  CHECK_FALSE(bench.run());
  CHECK(bench.end(0) == 5);
  CHECK(bench.end(1) == 6);  // the message leaves at 5 and takes 1 s
  CHECK(bench.simulation->launched().s == 5);
  std::vector<double> in_init;
  for (const ProfileRow& row : bench.simulation->profile()) {
    if (row.routine != 7) continue;
    CHECK(row.calls == 1);
    in_init.push_back(row.time.s);
  }
  CHECK(in_init == std::vector<double>{3, 1});
}

TEST_CASE("where MPI_Init takes no time it is not in the profile, and ranks begin at 0") {
  Bench bench({{compute(1)}});
  CHECK_FALSE(bench.run());
  CHECK(bench.end(0) == 1);
  CHECK(bench.simulation->launched().s == 0);
  CHECK(bench.simulation->profile().size() == 1);
}

TEST_CASE("ranks that are started later have no beginning of their own") {
  Bench bench({{{.kind = op::Kind::Service, .tag = 1}}, {compute(1)}});
  struct Starter final : Services {
    Served serve(std::int32_t, const op::Operation&, std::int32_t) override { return {.new_ranks = 1}; }
  } starter;
  bench.config.initial_ranks = 1;
  bench.config.spawn_cost = {0.5};
  bench.config.services = &starter;
  bench.config.beginnings = {{{0}, {2}}};
  CHECK_FALSE(bench.run());
  CHECK(bench.end(1) == 3.5);  // 2 s of the first one's launch, 0.5 s until it begins, 1 s of its own
}
