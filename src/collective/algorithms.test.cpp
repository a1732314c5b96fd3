// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "catch.hpp"
#include "collective/test_calls.hpp"
#include "op/vocabulary.hpp"

namespace orrery::collective {
namespace {

using test::Example;
using test::Order;
using test::Shape;

constexpr int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33};
constexpr std::int64_t element_counts[] = {0, 1, 7, 40, 101};
constexpr int large = 18;  // from here on not every root

/// Every root of small communicators; of large ones the first, the last, and one on each side of a power of two.
std::set<int> roots(CollectiveKind kind, int size) {
  if (!op::is_rooted(kind)) return {0};
  std::set<int> chosen;
  for (int root = 0; root < size; ++root) {
    if (size < large || root == 0 || root == 1 || root == 15 || root == 16 || root == size - 1) chosen.insert(root);
  }
  return chosen;
}

/// All shapes that differ for the algorithm.
std::vector<Shape> shapes(const Algorithm& algorithm) {
  std::vector<Shape> all;
  for (const int size : sizes) {
    for (const int root : roots(algorithm.kind, size)) {
      for (const std::int64_t elements : element_counts) {
        if (algorithm.kind == CollectiveKind::Barrier && elements > 0) continue;
        const Shape shape{algorithm.kind, size, root, elements, true, {}, algorithm.equal_blocks_only};
        all.push_back(shape);
        for (const std::int64_t segment : {1, 7, 16, 1000}) {  // bytes; elements have 2
          if (!algorithm.segments) break;
          all.push_back(shape);
          all.back().segment = {segment};
        }
        if (op::reduces(algorithm.kind)) {
          all.push_back(shape);
          all.back().commutative = false;
        }
        if (!algorithm.mpich_immediate.empty()) {
          all.push_back(shape);
          all.back().immediate = true;
        }
        for (const int radix : {2, 3, 4, 5, 8}) {
          if (!algorithm.radix || root > 5) break;
          all.push_back(shape);
          all.back().fanout = radix;
          all.back().segment = {algorithm.segments ? 7 : 0};
          all.back().commutative = algorithm.commutative_only || radix % 2 == 0 || !op::reduces(algorithm.kind);
        }
      }
    }
  }
  return all;
}

TEST_CASE("every algorithm leaves the right bytes on every rank, whatever the size, root and count") {
  for (const Algorithm& algorithm : algorithms()) {
    DYNAMIC_SECTION(name(algorithm.kind) << " " << algorithm.name) {
      for (const Shape& shape : shapes(algorithm)) {
        const std::string wrong =
            test::run(algorithm, shape, shape.elements % 2 == 0 ? Order::Ascending : Order::Descending);
        if (!wrong.empty()) FAIL_CHECK(wrong);
      }
      SUCCEED();
    }
  }
}

TEST_CASE("algorithms with a fanout leave the right bytes whatever it is") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name != "chain" && algorithm.name != "knomial" && algorithm.name != "linear_sync") continue;
    for (const int size : sizes) {
      for (const int fanout : {1, 2, 3, 32}) {
        Shape shape{algorithm.kind, size, size / 2, 40, true, {}};
        shape.fanout = fanout;
        const std::string wrong = test::run(algorithm, shape, fanout % 2 == 0 ? Order::Ascending : Order::Descending);
        if (!wrong.empty()) FAIL_CHECK(wrong);
      }
    }
  }
}

TEST_CASE("nobody leaves a barrier, or has a new communicator, before all have come") {
  for (const Algorithm& algorithm : algorithms()) {
    const bool waits = algorithm.kind == CollectiveKind::Barrier || algorithm.kind == CollectiveKind::NewComm;
    if (!waits || algorithm.inter || algorithm.topology) continue;
    for (const int size : sizes) {
      for (const Order order : {Order::Ascending, Order::Descending}) {
        if (algorithm.two_only && size != 2) continue;
        Example example = test::make_example({algorithm.kind, size, 0, size % 3, true, {}, false, size % 5});
        std::vector<op::Script> scripts;
        for (const Call& call : example.calls) scripts.push_back(algorithm.stream(call));
        const auto heard = test::execute(std::move(scripts), example.before, {}, order);
        const std::uint64_t all = (std::uint64_t{1} << size) - 1;
        REQUIRE(heard == std::vector<std::uint64_t>(static_cast<std::size_t>(size), all));
      }
    }
  }
}

TEST_CASE("an algorithm refuses only what its description says") {
  for (const Algorithm& algorithm : algorithms()) {
    for (const int size : sizes) {
      for (const bool commutative : {true, false}) {
        const Example example =
            test::make_example({algorithm.kind, size, 0, 1, commutative, {}, algorithm.equal_blocks_only});
        const bool expected = !algorithm.inter && !algorithm.topology && (commutative || !algorithm.commutative_only) &&
                              (!algorithm.even_only || size % 2 == 0) && (!algorithm.two_only || size == 2) &&
                              (!algorithm.power_of_two_only || (size & (size - 1)) == 0);
        for (const Call& call : example.calls) REQUIRE(algorithm.accepts(call) == expected);
      }
    }
  }
}

TEST_CASE("an algorithm for equal blocks refuses others") {
  const std::vector<std::int64_t> equal{8, 8}, other{8, 16};
  const Algorithm& algorithm = *find(CollectiveKind::ReduceScatter, "noncommutative");
  REQUIRE(algorithm.accepts({.kind = algorithm.kind, .size = 2, .counts = equal}));
  REQUIRE_FALSE(algorithm.accepts({.kind = algorithm.kind, .size = 2, .counts = other}));
}

TEST_CASE("a call without the counts that its kind needs is refused") {
  for (const char* kind : {"gatherv", "scatterv", "allgatherv", "reduce_scatter", "alltoallv", "alltoallw"}) {
    for (const Algorithm& algorithm : algorithms()) {
      if (name(algorithm.kind) == kind) REQUIRE_FALSE(algorithm.accepts({.kind = algorithm.kind, .size = 4}));
    }
  }
}

TEST_CASE("a neighbourhood that no communicator can have is refused") {
  using Counts = std::vector<std::int64_t>;
  const Algorithm& algorithm = *find(CollectiveKind::NeighborAlltoallv, "linear");
  const auto accepts = [&](const Counts& counts) {
    return algorithm.accepts({.kind = algorithm.kind, .size = 4, .counts = counts});
  };
  CHECK(accepts({0}));                         // a rank without neighbours
  CHECK(accepts({1, 3, 8, 2, 8}));             // one destination, one source
  CHECK_FALSE(accepts({}));                    // no number of destinations
  CHECK_FALSE(accepts({-1}));                  // fewer than none
  CHECK_FALSE(accepts({2, 3, 8}));             // fewer than it says
  CHECK_FALSE(accepts({1, 3, 8, 2}));          // a source without bytes
  CHECK_FALSE(accepts({1, 4, 8}));             // no such rank
  CHECK_FALSE(accepts({0, 1, -8}));            // fewer bytes than none
  CHECK_FALSE(accepts({1LL << 62, 3, 8, 2}));  // more than there can be
}

TEST_CASE("algorithms are sorted by kind, and found by name") {
  std::set<std::pair<CollectiveKind, std::string_view>> seen;
  for (const Algorithm& algorithm : algorithms()) {
    REQUIRE(find(algorithm.kind, algorithm.name) == &algorithm);
    REQUIRE(seen.insert({algorithm.kind, algorithm.name}).second);
    REQUIRE(&algorithm >= &algorithms().front());
  }
  REQUIRE(std::ranges::is_sorted(algorithms(), {}, &Algorithm::kind));
  REQUIRE(find(CollectiveKind::Barrier, "ring") == nullptr);
}

TEST_CASE("every kind has a name, at least one algorithm, and is found by its name") {
  for (int i = 0; i < op::collective_kinds; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    REQUIRE(kind_named(name(kind)) == kind);
    REQUIRE(std::ranges::count(algorithms(), kind, &Algorithm::kind) > 0);
  }
  REQUIRE(name(CollectiveKind::ReduceScatterBlock) == "reduce_scatter_block");
  REQUIRE(kind_named("all_reduce") == std::nullopt);
}

TEST_CASE("scratch memory is what the stream touches") {
  const Algorithm* doubling = find(CollectiveKind::Allreduce, "recursive_doubling");
  const Call call{.kind = CollectiveKind::Allreduce, .self = 1, .size = 4, .bytes = {800}, .element = 8};
  REQUIRE(scratch_bytes(*doubling, call) == 800);  // one vector that arrives; the other one is the output
  REQUIRE(scratch_bytes(*find(CollectiveKind::Allreduce, "ring"), call) == 0);
}

}  // namespace
}  // namespace orrery::collective
