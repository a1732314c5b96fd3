// SPDX-License-Identifier: BSD-3-Clause
#include "collective/dynamic_rules.hpp"

#include "catch.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

DynamicRule dynamic_rule(std::int64_t from, std::int64_t to, CollectiveKind kind, std::string_view openmpi) {
  return {.bytes_from = from, .bytes_to = to, .choice = {.algorithm = find_openmpi(kind, openmpi)}};
}

std::string_view name_of(const Choice& choice) { return choice.algorithm == nullptr ? "" : choice.algorithm->openmpi; }

TEST_CASE("rules see the sizes that Open MPI's dynamic rules see") {
  const auto seen = [](CollectiveKind kind, std::span<const std::int64_t> counts = {}) {
    return dynamic_bytes({.kind = kind, .size = 4, .bytes = {24}, .element = 8, .counts = counts});
  };
  CHECK(seen(Bcast) == 24);
  CHECK(seen(Alltoall) == 96);  // all blocks of a rank
  CHECK(seen(Allgather) == 96);
  CHECK(seen(Scan) == 32);  // an element for each rank, however long the vector is
  CHECK(seen(Barrier) == 0);
  CHECK(seen(Alltoallv) == 0);
  const std::vector<std::int64_t> counts{10, 20, 30, 41};
  CHECK(seen(Allgatherv, counts) == 25);  // the average, rounded down
}

TEST_CASE("the first communicator rule that fits decides, and in it the first message rule") {
  const std::vector<DynamicRules> sets{
      {.kind = Bcast,
       .size_from = 4,
       .size_to = 8,
       .rules = {dynamic_rule(0, 99, Bcast, "chain"), dynamic_rule(0, 999, Bcast, "binomial")}},
      {.kind = Bcast, .size_from = 0, .size_to = 100, .rules = {dynamic_rule(0, 1 << 30, Bcast, "knomial")}},
  };
  const auto chosen = [&](int size, std::int64_t bytes) {
    return name_of(dynamic_choice(sets, {.kind = Bcast, .size = size, .bytes = {bytes}}));
  };
  CHECK(chosen(4, 99) == "chain");
  CHECK(chosen(4, 100) == "binomial");
  CHECK(chosen(4, 1000).empty());  // the second communicator rule is not asked any more
  CHECK(chosen(3, 1000) == "knomial");
  CHECK(chosen(101, 8).empty());
}

TEST_CASE("a selector obeys rules where they say something, and only for blocking calls") {
  const std::vector<DynamicRules> sets{
      {.kind = Allreduce, .rules = {dynamic_rule(0, 99, Allreduce, "ring"), {.bytes_from = 100, .choice = {}}}},
      {.kind = Allgather, .rules = {dynamic_rule(0, 1 << 30, Allgather, "neighbor")}},
  };
  const auto selector = make_selector("openmpi-5.0", "", sets);
  const auto chosen = [&](const Call& call) { return name_of(selector->choose(call)); };
  CHECK(chosen({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8}) == "ring");
  CHECK(chosen({.kind = Allreduce, .size = 5, .bytes = {800}, .element = 8}) == "recursive_doubling");
  CHECK(chosen({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8, .commutative = false}) ==
        "recursive_doubling");  // a ring would mix the operands up: the library decides
  CHECK(chosen({.kind = Allgather, .size = 5, .bytes = {8}}) == "ring");  // neighbour exchange wants an even size
  CHECK(selector->choose({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8, .immediate = true})
            .algorithm->libnbc == "binomial");
  CHECK(make_selector("openmpi-5.0", "allreduce=segmented_ring", sets)
            ->choose({.kind = Allreduce, .size = 5, .bytes = {80}, .element = 8})
            .instead_of.algorithm == "segmented_ring");  // of 10 elements it makes a plain ring
}

TEST_CASE("what an algorithm is made of follows the rules too") {
  // Allreduce as a reduction and a broadcast, both linear by rule: 3 messages to rank 0 and 3 from it.
  const std::vector<DynamicRules> sets{
      {.kind = Allreduce, .rules = {dynamic_rule(0, 1 << 30, Allreduce, "nonoverlapping")}},
      {.kind = Reduce, .rules = {dynamic_rule(0, 1 << 30, Reduce, "linear")}},
      {.kind = Bcast, .rules = {dynamic_rule(0, 1 << 30, Bcast, "basic_linear")}},
  };
  const auto selector = make_selector("openmpi-4.1", "", sets);
  const Call call{.kind = Allreduce, .size = 4, .bytes = {8}, .element = 8};
  const Choice choice = selector->choose(call);
  op::Script script = choice.algorithm->stream(choice.applied_to(call));
  std::vector<int> sent_to;
  while (const op::Operation* operation = script.next())
    if (operation->kind == op::Kind::Isend) sent_to.push_back(operation->peer);
  CHECK(sent_to == std::vector<int>{1, 2, 3});
}

}  // namespace
}  // namespace orrery::collective
