// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "catch.hpp"
#include "collective/fixed.hpp"
#include "collective/test_calls.hpp"

namespace orrery::collective {
namespace {

std::string chosen(const Selector& selector, const Call& call) {
  return std::string(selector.choose(call).algorithm->name);
}

Call call(CollectiveKind kind, int size, std::int64_t bytes) { return {.kind = kind, .size = size, .bytes = {bytes}}; }

TEST_CASE("what is fixed and does not serve a call is named with the reason, beside what serves") {
  const auto selector = make_selector("default", "allreduce=ring,alltoall=two_proc");
  Call in_order = call(op::CollectiveKind::Allreduce, 6, 6);
  const Choice served = selector->choose(in_order);
  CHECK(served.algorithm->name == "ring");
  CHECK(served.by == Decider::Fixed);
  CHECK(served.instead_of.algorithm.empty());
  in_order.commutative = false;
  const Choice other = selector->choose(in_order);
  CHECK(other.algorithm->name == "recursive_doubling");
  CHECK(other.by == Decider::Selector);
  CHECK(other.instead_of ==
        Unserved{.algorithm = "ring", .why = "the operation does not commute", .by = Decider::Fixed});
  CHECK(selector->choose(call(op::CollectiveKind::Alltoall, 6, 4)).instead_of.why == "it is for two ranks");
  CHECK(selector->asked(Decider::Fixed) == std::vector{op::CollectiveKind::Allreduce, op::CollectiveKind::Alltoall});
  CHECK(selector->asked(Decider::Rules).empty());
}

TEST_CASE("who sends the messages is named, and not the algorithm that leaves the call to it") {
  const auto selector = make_selector("default", "allreduce=segmented_ring:segment=2,bcast=split_binary_tree");
  const Choice plain = selector->choose(call(op::CollectiveKind::Allreduce, 6, 11));
  CHECK(plain.algorithm->name == "ring");
  CHECK(plain.segment == Bytes{0});
  CHECK(plain.instead_of ==
        Unserved{.algorithm = "segmented_ring", .why = "there is less than a segment per rank", .by = Decider::Fixed});
  const Choice twice = selector->choose(call(op::CollectiveKind::Allreduce, 6, 5));
  CHECK(twice.algorithm->name == "recursive_doubling");
  CHECK(twice.instead_of.algorithm == "segmented_ring");
  CHECK(selector->choose(call(op::CollectiveKind::Allreduce, 6, 12)).algorithm->name == "segmented_ring");
  CHECK(selector->choose(call(op::CollectiveKind::Allreduce, 1, 0)).instead_of.algorithm.empty());  // nothing is sent
  CHECK(selector->choose(call(op::CollectiveKind::Bcast, 6, 1)).algorithm->name == "pipeline");
  CHECK(selector->choose(call(op::CollectiveKind::Bcast, 6, 2)).algorithm->name == "split_binary_tree");
  const Choice of_selector = make_selector("openmpi-5.0")->choose(call(op::CollectiveKind::Bcast, 6, 1));
  CHECK(of_selector.instead_of.algorithm.empty());  // nobody asked for another
}

TEST_CASE("a call that is handed over has the messages of the algorithm that it is handed to") {
  int handed = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.hands_over == nullptr) continue;
    const int before = handed;
    for (const int size : {2, 3, 6, 8, 17}) {
      for (const std::int64_t elements : {0, 1, 5, 16, 40}) {
        for (const bool commutative : {true, false}) {
          for (const std::int64_t segment : {0, 6}) {
            const test::Example example = test::make_example({algorithm.kind, size, size / 2, elements, commutative});
            for (Call of_rank : example.calls) {
              of_rank.segment = {segment};
              if (!algorithm.accepts(of_rank)) continue;
              const HandOver given = algorithm.hands_over(of_rank);
              if (!given) continue;
              ++handed;
              const Choice other = after_hand_overs({.algorithm = &algorithm, .segment = {segment}}, of_rank);
              CHECK(other.algorithm->hands_over != algorithm.hands_over);
              op::Script own = algorithm.stream(of_rank);
              op::Script its = other.algorithm->stream(other.applied_to(of_rank));
              while (const op::Operation* expected = its.next()) {
                const op::Operation* operation = own.next();
                REQUIRE(operation != nullptr);
                REQUIRE(operation->kind == expected->kind);
                REQUIRE(operation->peer == expected->peer);
                REQUIRE(operation->bytes == expected->bytes);
                REQUIRE(operation->here.offset == expected->here.offset);
              }
              REQUIRE(own.next() == nullptr);
            }
          }
        }
      }
    }
    CHECK(handed > before);
  }
}

TEST_CASE("the default selector changes algorithm at the limits of its table") {
  const auto selector = make_selector();
  const auto at = [&](CollectiveKind kind, int size, std::int64_t bytes) {
    return chosen(*selector, call(kind, size, bytes));
  };
  using enum op::CollectiveKind;

  REQUIRE(at(Bcast, 16, 12 * 1024 - 1) == "binomial_halving");
  REQUIRE(at(Bcast, 16, 12 * 1024) == "scatter_allgather_ring");
  REQUIRE(at(Bcast, 7, 1 << 20) == "binomial_halving");
  REQUIRE(at(Reduce, 16, 2048) == "binomial");
  REQUIRE(at(Reduce, 16, 2049) == "reduce_scatter_gather");
  REQUIRE(at(Allreduce, 16, 2048) == "recursive_doubling");
  REQUIRE(at(Allreduce, 16, 2049) == "reduce_scatter_allgather");
  // The total counts: 16 blocks of 32 KiB are 512 KiB; 10 of 8 KiB are 80 KiB and 10 is no power of two.
  REQUIRE(at(Allgather, 16, 32 * 1024 - 1) == "recursive_doubling");
  REQUIRE(at(Allgather, 16, 32 * 1024) == "ring");
  REQUIRE(at(Allgather, 10, 8 * 1024 - 1) == "bruck");
  REQUIRE(at(Allgather, 10, 8 * 1024) == "ring");
  REQUIRE(at(Alltoall, 8, 256) == "bruck");
  REQUIRE(at(Alltoall, 7, 256) == "linear");
  REQUIRE(at(Alltoall, 8, 257) == "linear");
  REQUIRE(at(Alltoall, 8, 32 * 1024) == "linear");
  REQUIRE(at(Alltoall, 8, 32 * 1024 + 1) == "pairwise");
  REQUIRE(at(ReduceScatterBlock, 8, 64 * 1024 - 1) == "recursive_halving");
  REQUIRE(at(ReduceScatterBlock, 8, 64 * 1024) == "pairwise");
}

TEST_CASE("a long reduction of fewer elements than ranks is not cut into blocks") {
  const auto selector = make_selector();
  const Call few{.kind = CollectiveKind::Allreduce, .size = 16, .bytes = {15 * 1024}, .element = 1024};
  REQUIRE(chosen(*selector, few) == "recursive_doubling");
}

TEST_CASE("a choice accepts its call and is the same on all ranks, whatever is fixed") {
  for (const char* fixed : {"", "allgather=recursive_doubling", "allgather=neighbor_exchange", "allreduce=ring",
                            "reduce_scatter=pairwise,reduce_scatter_block=recursive_halving"}) {
    const auto selector = make_selector("default", fixed);
    for (int i = 0; i < op::collective_kinds; ++i) {
      for (const int size : {1, 2, 3, 6, 7, 8, 16, 17}) {
        for (const std::int64_t elements : {0, 3, 3000, 300'000}) {
          for (const bool commutative : {true, false}) {
            test::Shape shape{static_cast<CollectiveKind>(i), size, size / 2, 1, commutative, {}};
            test::Example example = test::make_example(shape);
            const bool has_counts = !example.counts[static_cast<std::size_t>(size / 2)].empty();
            if (!has_counts) {
              for (Call& call : example.calls) call.bytes = {elements * call.element};
            }
            const Algorithm* first = selector->choose(example.calls[0]).algorithm;
            for (const Call& call : example.calls) {
              REQUIRE(selector->choose(call).algorithm == first);
              REQUIRE(first->accepts(call));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("what is fixed is chosen where it accepts the call, otherwise the table decides") {
  const auto selector =
      make_selector("default", "allreduce=ring,bcast=chain:segment=32KiB,allgather=neighbor_exchange");
  Call reduction = call(CollectiveKind::Allreduce, 8, 8);
  REQUIRE(chosen(*selector, reduction) == "ring");
  reduction.commutative = false;
  REQUIRE(chosen(*selector, reduction) == "recursive_doubling");
  const Choice bcast = selector->choose(call(CollectiveKind::Bcast, 4, 8));
  REQUIRE(bcast.algorithm->name == "chain");
  REQUIRE(bcast.segment == Bytes{32768});
  REQUIRE(chosen(*selector, call(CollectiveKind::Allgather, 6, 8)) == "neighbor_exchange");
  REQUIRE(chosen(*selector, call(CollectiveKind::Allgather, 7, 8)) == "bruck");
  REQUIRE(chosen(*selector, call(CollectiveKind::Barrier, 7, 0)) == "dissemination");
}

TEST_CASE("sizes of segments have binary units") {
  const auto segment = [](const char* fixed) {
    return make_selector("default", fixed)->choose(call(CollectiveKind::Bcast, 4, 8)).segment.count;
  };
  REQUIRE(segment("bcast=chain") == 0);
  REQUIRE(segment("bcast=chain:segment=100") == 100);
  REQUIRE(segment("bcast=chain:segment=100B") == 100);
  REQUIRE(segment("bcast=chain:segment=2MiB") == 2 * 1024 * 1024);
  REQUIRE(segment("bcast=chain:segment=2Mi") == 2 * 1024 * 1024);
  REQUIRE(segment("bcast=chain:segment=2MB") == 2'000'000);
  REQUIRE(segment("bcast=chain:segment=1GiB") == 1024 * 1024 * 1024);
}

TEST_CASE("fanout is for algorithms that have one, beside a segment size or not") {
  const auto chosen = [](const char* fixed) {
    return make_selector("default", fixed)->choose(call(CollectiveKind::Bcast, 8, 1 << 20));
  };
  REQUIRE(chosen("bcast=chain:fanout=2").fanout == 2);
  const Choice both = chosen("bcast=knomial:segment=8KiB:fanout=3");
  REQUIRE(both.fanout == 3);
  REQUIRE(both.segment == Bytes{8192});
  REQUIRE_THROWS_WITH(chosen("bcast=linear:fanout=2"),
                      "\"bcast=linear:fanout=2\": bcast by linear has no fanout; it is for: chain, knomial, kary_tree, "
                      "contiguous_knomial_tree, descending_knomial_tree, scatterv_recexch_allgatherv, "
                      "scatterv_ring_allgatherv");
  REQUIRE_THROWS_WITH(chosen("bcast=chain:fanout=0"),
                      "\"bcast=chain:fanout=0\": fanout \"0\", expected a number from 1 to 32");
}

TEST_CASE("a selector is named with what is fixed") {
  REQUIRE(make_selector()->name() == "default");
  REQUIRE(make_selector("default", "bcast=linear")->name() == "default (bcast=linear)");
}

TEST_CASE("what is wrong in a selector is said with what would be right") {
  const auto make = [](const char* fixed) { return make_selector("default", fixed); };
  REQUIRE_THROWS_AS(make("allreduce=ring,"), InputError);
  REQUIRE_THROWS_WITH(make_selector("openmpi"),
                      "no selector is named \"openmpi\"; there are: default, mpich-4.0, mpich-5.0, openmpi-1.3, "
                      "openmpi-1.6, openmpi-4.1, "
                      "openmpi-5.0");
  REQUIRE_THROWS_WITH(
      make("all_reduce=ring"),
      "\"all_reduce=ring\": expected COLLECTIVE=ALGORITHM[:segment=SIZE][:fanout=NUMBER]; collectives are: barrier, "
      "bcast, "
      "reduce, allreduce, reduce_scatter, reduce_scatter_block, scan, exscan, gather, gatherv, scatter, "
      "scatterv, allgather, allgatherv, alltoall, alltoallv, alltoallw, neighbor_allgather, "
      "neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw, new_comm");
  REQUIRE_THROWS_WITH(
      make("bcast=linear,exscan=rings"),
      "\"exscan=rings\": no algorithm of exscan is named \"rings\"; there are: recursive_doubling, linear, "
      "linear_even_empty");
  REQUIRE_THROWS_WITH(make("bcast=linear,bcast=chain"), "\"bcast=chain\": bcast has been fixed before");
  REQUIRE_THROWS_WITH(make("bcast=chain:size=4"),
                      "\"bcast=chain:size=4\": unknown option \"size=4\"; there are: segment=SIZE, fanout=NUMBER");
  REQUIRE_THROWS_WITH(
      make("bcast=linear:segment=4"),
      "\"bcast=linear:segment=4\": bcast by linear is not segmented; segments are for: chain, pipeline, "
      "binomial, knomial, binary_tree, split_binary_tree, chain_swapped, kary_tree, contiguous_knomial_tree, "
      "descending_knomial_tree, hierarchical, bine_tree, circulant, double_tree");
  REQUIRE_THROWS_WITH(make("scan=linear:segment=4"),
                      "\"scan=linear:segment=4\": scan by linear is not segmented; segments are for: none");
  for (const char* size : {"", "0", "-1", "x", "4kb", "9223372036854775807GiB", "99999999999999999999"}) {
    REQUIRE_THROWS_WITH(make(concat("bcast=chain:segment=", size).c_str()),
                        concat("\"bcast=chain:segment=", size, "\": \"", size,
                               "\" is not a size in bytes; a size is like 32768, 32K or 32KiB "
                               "(powers of 1024), or 32kB (of 1000)"));
  }
}

TEST_CASE("a call without its counts is refused with their number") {
  Call incomplete = call(CollectiveKind::Alltoallv, 3, 0);
  REQUIRE_THROWS_WITH(make_selector()->choose(incomplete),
                      "rank 0 calls alltoallv on 3 ranks with 0 counts; it needs 6");
}

TEST_CASE("a hierarchical algorithm is spelled as it is read") {
  for (const char* text : {"hierarchical", "hierarchical(levels=cluster)", "hierarchical(inner=chain:segment=8KiB)",
                           "hierarchical(levels=cluster+node,inner=binomial,outer=knomial:fanout=3):segment=10240"}) {
    const Choice choice = parse_choice(CollectiveKind::Bcast, text, text);
    CHECK(spelled(choice) ==
          (std::string(text).ends_with("10240") ? std::string(text, 0, std::string(text).size() - 5) + "10KiB" : text));
  }
  const FixedChoices both = parse_fixed("bcast=hierarchical(levels=node,inner=linear),barrier=tree");
  CHECK(both[static_cast<std::size_t>(CollectiveKind::Bcast)].hierarchy.inner.algorithm == "linear");
  CHECK(both[static_cast<std::size_t>(CollectiveKind::Bcast)].hierarchy.levels == 8);
  CHECK(both[static_cast<std::size_t>(CollectiveKind::Barrier)].algorithm->name == "tree");
  const auto mistake = [](std::string_view text) {
    try {
      static_cast<void>(parse_choice(CollectiveKind::Bcast, text, text));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(mistake("hierarchical(levels=rack)")
            .ends_with("no level is named \"rack\"; there are: site, cluster, cabinet, node, socket"));
  CHECK(mistake("hierarchical(inner=bino)").ends_with("no collective has a flat algorithm named \"bino\""));
  CHECK(mistake("hierarchical(depth=3)").find("unknown argument \"depth=3\"") != std::string::npos);
  CHECK(mistake("binomial(levels=node)").find("only hierarchical takes arguments") != std::string::npos);
}

}  // namespace
}  // namespace orrery::collective
