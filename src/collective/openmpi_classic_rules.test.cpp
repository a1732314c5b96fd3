// SPDX-License-Identifier: BSD-3-Clause
#include "collective/openmpi_classic_rules.hpp"

#include "base/error.hpp"
#include "catch.hpp"

// The thresholds are those of coll_tuned_decision_fixed.c in the tags v1.3.0 and v1.6.5 of Open MPI's repository. Those
// that depend on the number of ranks are worked out beside the checks.
namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

Call call_of(CollectiveKind kind, int size, std::int64_t bytes, bool commutative = true) {
  return {.kind = kind, .size = size, .bytes = {bytes}, .element = 4, .commutative = commutative};
}

/// "algorithm" or "algorithm/segment in KiB", by Open MPI's name.
std::string openmpi_spelled(const Choice& choice) {
  const std::string name(choice.algorithm->openmpi);
  return choice.segment.count == 0 ? name : concat(name, "/", choice.segment.count / 1024);
}

std::string v1_3(CollectiveKind kind, int size, std::int64_t bytes, bool commutative = true) {
  return openmpi_spelled(openmpi_1_3_choice(call_of(kind, size, bytes, commutative)));
}

TEST_CASE("1.3 makes a barrier by recursive doubling on powers of two, by dissemination elsewhere") {
  CHECK(v1_3(Barrier, 2, 0) == "two_proc");
  CHECK(v1_3(Barrier, 4, 0) == "recursive_doubling");
  CHECK(v1_3(Barrier, 8, 0) == "recursive_doubling");
  CHECK(v1_3(Barrier, 6, 0) == "bruck");
}

TEST_CASE("1.3 broadcasts along a binomial tree, a split tree, then a pipeline") {
  CHECK(v1_3(Bcast, 4, 2044) == "binomial");
  CHECK(v1_3(Bcast, 4, 2048) == "split_binary_tree/1");
  CHECK(v1_3(Bcast, 4, 370'724) == "split_binary_tree/1");
  CHECK(v1_3(Bcast, 4, 370'728) == "split_binary_tree/8");
  // 4 < 1.6134e-6 · bytes + 2.1102 from 1,171,315 bytes on; for 3 ranks from 551,506.
  CHECK(v1_3(Bcast, 4, 1'171'312) == "split_binary_tree/8");
  CHECK(v1_3(Bcast, 4, 1'171'316) == "pipeline/128");
  CHECK(v1_3(Bcast, 3, 551'504) == "split_binary_tree/8");
  CHECK(v1_3(Bcast, 3, 551'508) == "pipeline/128");
  CHECK(v1_3(Bcast, 12, 1 << 20) == "split_binary_tree/8");
  // 13 ranks: 2.3679e-6 · bytes + 1.1787 from 4,992,314 on, 3.2118e-6 · bytes + 8.7936 from 1,309,671 on.
  CHECK(v1_3(Bcast, 13, 1 << 20) == "pipeline/8");
  CHECK(v1_3(Bcast, 13, 1'309'676) == "pipeline/16");
  CHECK(v1_3(Bcast, 13, 4'992'316) == "pipeline/64");
}

TEST_CASE("a broadcast of one element is not cut") {
  const Call whole{.kind = Bcast, .size = 4, .bytes = {4096}, .element = 4096};
  CHECK(openmpi_spelled(openmpi_1_3_choice(whole)) == "binomial");
}

TEST_CASE("1.3 reduces linearly, along a binomial tree, then a pipeline") {
  CHECK(v1_3(Reduce, 4, 508) == "linear");
  CHECK(v1_3(Reduce, 4, 512) == "binomial");
  CHECK(v1_3(Reduce, 8, 4) == "binomial");
  CHECK(v1_3(Reduce, 4, 20'476) == "binomial");
  // 4 ranks: 4 > 0.0422 / 1024 · bytes + 1.1614 up to 68,879 and 4 > 0.0033 / 1024 · bytes + 1.6761 up to 721,113.
  CHECK(v1_3(Reduce, 4, 20'480) == "pipeline/32");
  CHECK(v1_3(Reduce, 4, 721'112) == "pipeline/32");
  CHECK(v1_3(Reduce, 4, 721'116) == "pipeline/64");
  // 8 ranks: 8 > 0.6016 / 1024 · bytes + 1.3496 up to 11,319.
  CHECK(v1_3(Reduce, 8, 2048) == "binomial/1");
  CHECK(v1_3(Reduce, 8, 11'316) == "binomial/1");
  CHECK(v1_3(Reduce, 8, 11'320) == "pipeline/32");
  // 16 ranks: 16 > 0.0410 / 1024 · bytes + 9.7128 up to 157,026.
  CHECK(v1_3(Reduce, 16, 157'024) == "pipeline/1");
  CHECK(v1_3(Reduce, 16, 157'028) == "pipeline/32");
}

TEST_CASE("an operation that does not commute is combined in order") {
  CHECK(v1_3(Reduce, 8, 2044, false) == "linear");
  CHECK(v1_3(Reduce, 8, 2048, false) == "in-order_binary");
  CHECK(v1_3(Reduce, 12, 4, false) == "in-order_binary");
  CHECK(v1_3(Allreduce, 8, 1 << 20, false) == "nonoverlapping");
}

TEST_CASE("1.6 has a binary tree where 1.3 has a pipeline of the same segments, and another alltoallv") {
  const auto v1_6 = [](CollectiveKind kind, int size, std::int64_t bytes) {
    return openmpi_spelled(openmpi_1_6_choice(call_of(kind, size, bytes)));
  };
  CHECK(v1_6(Reduce, 4, 20'480) == "binary/32");
  CHECK(v1_6(Reduce, 4, 68'876) == "binary/32");
  CHECK(v1_6(Reduce, 4, 68'880) == "pipeline/32");
  CHECK(v1_6(Reduce, 8, 11'320) == "binary/32");
  CHECK(v1_6(Bcast, 4, 2048) == v1_3(Bcast, 4, 2048));
  const std::vector<std::int64_t> counts(8, 4);
  const Call call{.kind = Alltoallv, .size = 4, .counts = counts};
  CHECK(openmpi_spelled(openmpi_1_3_choice(call)) == "basic_linear");
  CHECK(openmpi_1_6_choice(call).algorithm == find_openmpi(Alltoallv, "pairwise"));
}

TEST_CASE("1.3's gather asks for long blocks, its scatter sends them in turn") {
  CHECK(v1_3(Gather, 8, 6000) == "basic_linear");
  CHECK(v1_3(Gather, 8, 6004) == "linear_sync/1");
  CHECK(v1_3(Gather, 8, 92'160) == "linear_sync/1");
  CHECK(v1_3(Gather, 8, 92'164) == "linear_sync/32");
  CHECK(v1_3(Gather, 11, 1020) == "binomial");
  CHECK(v1_3(Gather, 11, 1024) == "basic_linear");
  CHECK(v1_3(Gather, 61, 6000) == "binomial");
  CHECK(v1_3(Scatter, 10, 4) == "basic_linear");
  CHECK(v1_3(Scatter, 11, 296) == "binomial");
  CHECK(v1_3(Scatter, 11, 300) == "basic_linear");
}

TEST_CASE("1.3's all-to-all is linear up to 3,000 bytes, then pairwise") {
  CHECK(v1_3(Alltoall, 2, 1 << 20) == "two_proc");
  CHECK(v1_3(Alltoall, 4, 2996) == "linear");
  CHECK(v1_3(Alltoall, 4, 3000) == "pairwise");
  CHECK(v1_3(Alltoall, 12, 4) == "linear");
  CHECK(v1_3(Alltoall, 13, 196) == "modified_bruck");
  CHECK(v1_3(Alltoall, 13, 200) == "linear");
}

TEST_CASE("1.3's allgather goes by all blocks together") {
  CHECK(v1_3(Allgather, 2, 4) == "two_proc");
  CHECK(v1_3(Allgather, 8, 6248) == "recursive_doubling");  // 49,984 bytes
  CHECK(v1_3(Allgather, 8, 6252) == "neighbor");            // 50,016 bytes
  CHECK(v1_3(Allgather, 6, 4) == "bruck");
  CHECK(v1_3(Allgather, 7, 1 << 20) == "ring");
}

TEST_CASE("1.3's allreduce is a ring where there are more elements than ranks") {
  CHECK(v1_3(Allreduce, 8, 9996) == "recursive_doubling");
  CHECK(v1_3(Allreduce, 8, 10'000) == "ring");
  CHECK(v1_3(Allreduce, 8, 8 << 20) == "ring");
  CHECK(v1_3(Allreduce, 8, (8 << 20) + 4) == "segmented_ring/1024");
  CHECK(v1_3(Allreduce, 4096, 16'384) == "nonoverlapping");  // an element for each rank, and none more
}

TEST_CASE("1.3's reduce-scatter halves, unless a block is empty") {
  const auto chosen = [](int size, std::int64_t bytes, bool empty = false) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size), bytes / size);
    if (empty) counts[0] = 0;
    return openmpi_spelled(
        openmpi_1_3_choice({.kind = ReduceScatter, .size = size, .bytes = {bytes}, .element = 4, .counts = counts}));
  };
  CHECK(chosen(6, 12'288) == "recursive_halving");
  CHECK(chosen(6, 12'312) == "ring");
  CHECK(chosen(8, 262'144) == "recursive_halving");
  CHECK(chosen(8, 262'176) == "ring");
  CHECK(chosen(23, 12'420) == "recursive_halving");  // 23 >= 0.0012 · 12,420 + 8 = 22.904
  CHECK(chosen(8, 64, true) == "non-overlapping");
}

TEST_CASE("what 1.3 does not have is chosen as by 4.1") {
  Call call = call_of(Allreduce, 8, 64);
  call.immediate = true;
  CHECK(make_selector("openmpi-1.3")->choose(call).algorithm == make_selector("openmpi-4.1")->choose(call).algorithm);
  CHECK(make_selector("openmpi-1.6")->choose(call_of(Scan, 8, 64)).algorithm->openmpi == "linear");
}

}  // namespace
}  // namespace orrery::collective
