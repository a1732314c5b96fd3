// SPDX-License-Identifier: BSD-3-Clause
#include "collective/openmpi_rules.hpp"

#include "catch.hpp"

// The thresholds are those of Open MPI 4.1.4's decision functions; what they lead to is compared with recorded messages
// in tests/python/test_collective_messages.py.
namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

std::string_view chosen(CollectiveKind kind, int size, std::int64_t bytes, bool commutative = true) {
  return openmpi_choice({.kind = kind, .size = size, .bytes = {bytes}, .element = 8, .commutative = commutative})
      .algorithm->openmpi;
}

TEST_CASE("a limit belongs to the line after it") {
  CHECK(chosen(Bcast, 3, 31) == "pipeline");
  CHECK(chosen(Bcast, 3, 32) == "binary_tree");
  CHECK(chosen(Bcast, 4, 32) == "binary_tree");  // from 4 ranks on the limit is 64
  CHECK(chosen(Bcast, 4, 64) == "binomial");
  CHECK(chosen(Allreduce, 8, 8191) == "recursive_doubling");
  CHECK(chosen(Allreduce, 8, 8192) == "rabenseifner");
  CHECK(chosen(Barrier, 100'000, 0) == "bruck");
}

TEST_CASE("operations that do not commute have lines of their own") {
  CHECK(chosen(Reduce, 16, 1 << 20) == "binomial");
  CHECK(chosen(Reduce, 16, 1 << 20, false) == "in-order_binary");
  CHECK(chosen(Allreduce, 2, 1 << 20, false) == "basic_linear");
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
  CHECK(chosen(Allgather, 6, 8) == "bruck");  // recursive doubling is for powers of two
  CHECK(chosen(Allgather, 8, 8) == "recursive_doubling");
}

TEST_CASE("the one chain of the decision functions is not the four that users get") {
  const Choice choice = openmpi_choice({.kind = Bcast, .size = 3, .bytes = {131'072}});
  CHECK(choice.algorithm->openmpi == "chain");
  CHECK(choice.fanout == 1);
}

}  // namespace
}  // namespace orrery::collective
