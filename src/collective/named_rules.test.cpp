// SPDX-License-Identifier: BSD-3-Clause
#include "collective/named_rules.hpp"

#include "catch.hpp"
#include "collective/fixed.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

NamedRule rule(CollectiveKind kind, std::int64_t to, std::string_view algorithm) {
  return {.kind = kind, .bytes_to = to, .choice = parse_choice(kind, algorithm, algorithm)};
}

TEST_CASE("limits of rules of ours are sizes as users name them") {
  const auto seen = [](CollectiveKind kind, std::span<const std::int64_t> counts = {}) {
    return named_bytes({.kind = kind, .size = 4, .bytes = {24}, .element = 8, .counts = counts});
  };
  CHECK(seen(Bcast) == 24);
  CHECK(seen(Alltoall) == 24);  // one block, where Open MPI's rules see all
  CHECK(seen(Scan) == 24);
  CHECK(seen(Barrier) == 0);
  CHECK(seen(Alltoallv) == 0);
  CHECK(seen(Gatherv) == 0);
  const std::vector<std::int64_t> counts{10, 20, 30, 41};
  CHECK(seen(Allgatherv, counts) == 25);  // the average, rounded down
}

TEST_CASE("of rules of ours the first that fits decides, whichever library has its algorithm") {
  NamedRule eight = rule(Bcast, 999, "chain:segment=1KiB:fanout=2");
  eight.size_from = eight.size_to = 8;
  const auto selector = make_selector("mpich-4.0", "", {}, nullptr,
                                      {eight,
                                       rule(Bcast, 99, "knomial"),
                                       {.kind = Bcast, .bytes_to = 499},
                                       rule(Bcast, 999, "binomial"),
                                       rule(Allreduce, 999, "ring")});
  const auto chosen = [&](const Call& call) { return spelled(selector->choose(call)); };
  CHECK(chosen({.kind = Bcast, .size = 8, .bytes = {8}}) == "chain:segment=1KiB:fanout=2");
  CHECK(chosen({.kind = Bcast, .size = 9, .bytes = {99}}) == "knomial");
  CHECK(chosen({.kind = Bcast, .size = 9, .bytes = {499}}) == "binomial_halving");  // left to the library
  CHECK(chosen({.kind = Bcast, .size = 9, .bytes = {500}}) == "binomial");
  CHECK(chosen({.kind = Bcast, .size = 9, .bytes = {1000}}) == "binomial_halving");
  CHECK(chosen({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8}) == "ring");
  CHECK(chosen({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8, .immediate = true}) != "ring");
  CHECK(chosen({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8, .commutative = false}) != "ring");
  CHECK(make_selector("mpich-4.0", "bcast=linear", {}, nullptr, {eight})
            ->choose({.kind = Bcast, .size = 8, .bytes = {8}})
            .algorithm->name == "linear");
}

TEST_CASE("a rule of ours with a hierarchical algorithm makes its selector ask for places") {
  CHECK_FALSE(make_selector("default", "", {}, nullptr, {rule(Bcast, 9, "binomial")})->needs_places());
  CHECK(make_selector("default", "", {}, nullptr, {rule(Bcast, 9, "hierarchical")})->needs_places());
}

}  // namespace
}  // namespace orrery::collective
