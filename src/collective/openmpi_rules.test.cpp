// SPDX-License-Identifier: BSD-3-Clause
#include "collective/openmpi_rules.hpp"

#include "catch.hpp"

// The thresholds are those of Open MPI 4.1.4's decision functions; what they lead to is compared with recorded messages
// in tests/python/test_collective_messages.py.
namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

std::string_view openmpi_chosen(CollectiveKind kind, int size, std::int64_t bytes, bool commutative = true) {
  return openmpi_choice({.kind = kind, .size = size, .bytes = {bytes}, .element = 8, .commutative = commutative})
      .algorithm->openmpi;
}

TEST_CASE("a limit belongs to the line after it") {
  CHECK(openmpi_chosen(Bcast, 3, 31) == "pipeline");
  CHECK(openmpi_chosen(Bcast, 3, 32) == "binary_tree");
  CHECK(openmpi_chosen(Bcast, 4, 32) == "binary_tree");  // from 4 ranks on the limit is 64
  CHECK(openmpi_chosen(Bcast, 4, 64) == "binomial");
  CHECK(openmpi_chosen(Allreduce, 8, 8191) == "recursive_doubling");
  CHECK(openmpi_chosen(Allreduce, 8, 8192) == "rabenseifner");
  CHECK(openmpi_chosen(Barrier, 100'000, 0) == "bruck");
}

TEST_CASE("operations that do not commute have lines of their own") {
  CHECK(openmpi_chosen(Reduce, 16, 1 << 20) == "binomial");
  CHECK(openmpi_chosen(Reduce, 16, 1 << 20, false) == "in-order_binary");
  CHECK(openmpi_chosen(Allreduce, 2, 1 << 20, false) == "basic_linear");
}

TEST_CASE("allgatherv goes by the average block") {
  const std::vector<std::int64_t> counts{1023, 1023, 1023, 1023, 0, 2046, 1023, 1023};
  const auto name = [&](std::int64_t more) {
    std::vector<std::int64_t> those = counts;
    those[4] = more;
    return openmpi_choice({.kind = Allgatherv, .size = 8, .counts = those}).algorithm->openmpi;
  };
  CHECK(name(0) == "default");  // 1,023 bytes
  CHECK(name(8) == "bruck");    // 1,024
}

TEST_CASE("where an algorithm does not serve the size, Open MPI's other one does") {
  CHECK(openmpi_chosen(Allgather, 6, 8) == "bruck");  // recursive doubling is for powers of two
  CHECK(openmpi_chosen(Allgather, 8, 8) == "recursive_doubling");
}

TEST_CASE("the one chain of the decision functions is not the four that users get") {
  const Choice choice = openmpi_choice({.kind = Bcast, .size = 3, .bytes = {131'072}});
  CHECK(choice.algorithm->openmpi == "chain");
  CHECK(choice.fanout == 1);
}

TEST_CASE("between nodes 5.0 prefers its component han to tuned, where there are several ranks on one") {
  const Places pairs(4, {{"node", {0, 0, 1, 1}}}), together(4, {{"node", {0, 0, 0, 0}}}),
      each(4, {{"node", {0, 1, 2, 3}}});
  const Places unequal(4, {{"node", {0, 0, 0, 1}}});
  const auto chosen = [](CollectiveKind kind, const Places* places, bool immediate = false, bool commutative = true) {
    const Call call{
        .kind = kind, .size = 4, .bytes = {8}, .commutative = commutative, .immediate = immediate, .places = places};
    return make_selector("openmpi-5.0")->choose(call).algorithm->name;
  };
  CHECK(chosen(Bcast, &pairs) == "han");
  CHECK(chosen(Bcast, &unequal) == "han_unbalanced");
  CHECK(chosen(Allreduce, &unequal) == "han");
  for (const Places* places : {&together, &each}) CHECK(chosen(Bcast, places) == chosen(Bcast, nullptr));
  CHECK(chosen(Bcast, &pairs, true) == "linear");  // libnbc
  CHECK(chosen(Alltoall, &pairs) == chosen(Alltoall, nullptr));
  CHECK(chosen(Reduce, &pairs, false, false) == chosen(Reduce, nullptr, false, false));
  CHECK(make_selector("openmpi-4.1")
            ->choose({.kind = Bcast, .size = 4, .bytes = {8}, .places = &pairs})
            .algorithm->name == "binary_tree");
}

TEST_CASE("rules files are for what han leaves to tuned") {
  const Places pairs(4, {{"node", {0, 0, 1, 1}}});
  const Choice chain{.algorithm = find(Bcast, "chain")};
  const auto selector = make_selector("openmpi-5.0", {}, {{.kind = Bcast, .rules = {{.choice = chain}}}});
  Call call{.kind = Bcast, .size = 4, .bytes = {8}};
  CHECK(selector->choose(call).algorithm->name == "chain");
  call.places = &pairs;
  CHECK(selector->choose(call).algorithm->name == "han");
}

TEST_CASE("an all-to-all in place is made by algorithms of its own") {
  const Call call{.kind = Alltoall, .size = 5, .bytes = {8}, .in_place = true};
  Call immediate = call;
  immediate.immediate = true;
  CHECK(make_selector("openmpi-4.1")->choose(call).algorithm->name == "both_neighbors");
  CHECK(make_selector("openmpi-5.0")->choose(immediate).algorithm->name == "there_and_back");
  CHECK(make_selector("mpich-4.0")->choose(call).algorithm->name == "in_turn");
  CHECK(make_selector("mpich-5.0")->choose(immediate).algorithm->name == "in_turn");
}

}  // namespace
}  // namespace orrery::collective
