// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "collective/test_calls.hpp"
#include "op/vocabulary.hpp"

namespace orrery::collective {
namespace {

using test::Order;
using test::Shape;
using PartOfRank = std::vector<std::uint32_t>;
using enum op::CollectiveKind;

constexpr CollectiveKind kinds[] = {Barrier, Bcast, Reduce, Allreduce, Gather, Scatter, Allgather, Alltoall};

template <class PartOf>
PartOfRank parts(int size, PartOf part_of) {
  PartOfRank all;
  for (int rank = 0; rank < size; ++rank) all.push_back(static_cast<std::uint32_t>(part_of(rank)));
  return all;
}

/// Ways in which ranks may lie: all together, in halves, dealt to three nodes in turn, groups of unequal sizes on three
/// levels, with names that nobody knows, and the same with ranks dealt to clusters in turn.
std::vector<Places> layouts(int size) {
  const auto half = [size](int rank) { return rank < (size + 1) / 2 ? 0 : 1; };
  const auto third = [](int rank) { return rank % 3; };
  const auto uneven = [](int rank) { return rank < 2 ? 0 : rank < 3 ? 1 : rank < 8 ? 2 : 3; };
  const auto pairs = [](int rank) { return rank / 2; };
  return {
      Places(size, {{"node", parts(size, [](int) { return 0; })}}),
      Places(size, {{"cluster", parts(size, half)}, {"node", parts(size, [](int rank) { return rank; })}}),
      Places(size, {{"node", parts(size, third)}}),
      Places(size, {{"continent", parts(size, half)}, {"site", parts(size, uneven)}, {"shelf", parts(size, pairs)}}),
      Places(size, {{"cluster", parts(size, third)}, {"node", parts(size, uneven)}}),
  };
}

const std::vector<Hierarchy>& hierarchies() {
  static const std::vector<Hierarchy> all{
      {},
      {.inner = {.algorithm = "binomial"}, .outer = {.algorithm = "linear"}},
      {.inner = {.algorithm = "linear"}, .outer = {.algorithm = "binomial"}},
      {.inner = {.algorithm = "pipeline", .segment = {6}}, .outer = {.algorithm = "ring"}},
      {.inner = {.algorithm = "pairwise"}, .outer = {.algorithm = "bruck"}},
      {.inner = {.algorithm = "double_tree"}, .outer = {.algorithm = "circulant"}},
  };
  return all;
}

std::vector<Shape> shapes_of_size(const Algorithm& algorithm, int size) {
  std::vector<Shape> all;
  for (int root = 0; root < (op::is_rooted(algorithm.kind) ? size : 1); ++root) {
    for (const std::int64_t elements : {0, 1, 7}) {
      for (const std::int64_t segment : {0, 4}) {  // bytes; elements have 2
        for (const bool commutative : {true, false})
          all.push_back({algorithm.kind, size, root, elements, commutative, {segment}});
      }
    }
  }
  return all;
}

/// Where nodes have several ranks: as many on each, one node after the other; dealt in turn; and unequal numbers.
std::vector<Places> nodes(int size) {
  const auto pairs = [](int rank) { return rank / 2; };
  const auto threes = [](int rank) { return rank / 3; };
  const auto dealt = [size](int rank) { return rank % ((size + 1) / 2); };
  const auto crossed = [](int rank) { return (rank == 2) != (rank >= 3) ? 1 : 0; };  // 0 0 1 0 1 1 ..., or unequal
  const auto together = [](int) { return 7; };
  std::vector<Places> all;
  all.push_back(Places(size, {{"node", parts(size, pairs)}}));
  all.push_back(Places(size, {{"node", parts(size, threes)}}));
  all.push_back(Places(size, {{"node", parts(size, dealt)}}));
  all.push_back(Places(size, {{"node", parts(size, crossed)}}));
  all.push_back(Places(size, {{"node", parts(size, together)}}));
  return all;
}

TEST_CASE("what libraries do where nodes have several ranks leaves the right bytes on every rank") {
  constexpr std::string_view names[] = {"han", "han_unbalanced", "composition_alpha", "composition_beta", "multi_lane"};
  for (const Algorithm& algorithm : algorithms()) {
    if (std::ranges::find(names, algorithm.name) == std::end(names)) continue;
    DYNAMIC_SECTION(name(algorithm.kind) << " by " << algorithm.name) {
      for (const int size : {2, 3, 4, 6, 7, 8, 9, 12}) {
        for (const Places& places : nodes(size)) {
          for (Shape shape : shapes_of_size(algorithm, size)) {
            // 40,000 elements make two segments of 64 KiB; with 131,072 three are under way, the last one shorter.
            for (const std::int64_t elements : {shape.elements, std::int64_t{40'000}, std::int64_t{131'073}}) {
              if (elements > 7 && (shape.elements > 0 || shape.segment.count > 0 || size > 6)) continue;
              shape.elements = elements;
              const std::string wrong = test::run(algorithm, shape, Order::Ascending, &places);
              if (!wrong.empty()) FAIL_CHECK(wrong);
            }
          }
        }
      }
      SUCCEED();
    }
  }
}

TEST_CASE("hierarchical algorithms leave the right bytes on every rank, wherever the ranks are") {
  for (const CollectiveKind kind : kinds) {
    const Algorithm& algorithm = *find(kind, "hierarchical");
    DYNAMIC_SECTION(name(kind)) {
      for (const int size : {1, 2, 3, 5, 6, 7, 8, 9, 13}) {
        const std::vector<Places> all_places = layouts(size);
        for (const Shape& shape : shapes_of_size(algorithm, size)) {
          for (std::size_t i = 0; i < all_places.size(); ++i) {
            for (std::size_t j = 0; j < hierarchies().size(); ++j) {
              const Order order = (i + j) % 2 == 0 ? Order::Ascending : Order::Descending;
              const std::string wrong = test::run(algorithm, shape, order, &all_places[i], hierarchies()[j]);
              if (!wrong.empty()) FAIL_CHECK("layout " << i << ", hierarchy " << j << ": " << wrong);
            }
          }
        }
      }
      SUCCEED();
    }
  }
}

TEST_CASE("more slices than are under way at once leave the right bytes") {
  for (const CollectiveKind kind : {Allreduce, Allgather, Alltoall}) {
    for (const int size : {1, 2, 3, 5, 8}) {
      for (const Places& places : layouts(size)) {
        for (const Order order : {Order::Ascending, Order::Descending}) {
          const Shape shape{kind, size, 0, 40, true, {2}};  // of an element each
          const std::string wrong = test::run(*find(kind, "hierarchical"), shape, order, &places);
          if (!wrong.empty()) FAIL_CHECK(wrong);
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("slices of what comes back to its sender are sent before the first one has come back") {
  const Places places(4, {{"cluster", {0, 0, 1, 1}}});
  for (const CollectiveKind kind : {Allreduce, Allgather, Alltoall}) {
    const Call call{.kind = kind, .self = 1, .size = 4, .bytes = {64}, .segment = {16}, .places = &places};
    op::Script script = find(kind, "hierarchical")->stream(call);
    std::vector<int> sent;
    for (const op::Operation* next = script.next(); next->kind != op::Kind::WaitAny; next = script.next())
      if (next->kind == op::Kind::Isend) sent.push_back(next->tag);
    CHECK(sent == std::vector{0, 1, 2, 3});
  }
}

TEST_CASE("nobody leaves a hierarchical barrier before all have come") {
  for (const int size : {2, 3, 6, 13}) {
    for (const Places& places : layouts(size)) {
      test::Example example = test::make_example({Barrier, size, 0, 0, true, {}});
      std::vector<op::Script> scripts;
      for (Call call : example.calls) {
        call.places = &places;
        scripts.push_back(find(Barrier, "hierarchical")->stream(call));
      }
      const auto heard = test::execute(std::move(scripts), example.before, {}, Order::Ascending);
      const std::uint64_t all = (std::uint64_t{1} << size) - 1;
      REQUIRE(heard == std::vector<std::uint64_t>(static_cast<std::size_t>(size), all));
    }
  }
}

TEST_CASE("nobody leaves the barriers of libraries between nodes before all have come") {
  for (const std::string_view name : {"han", "composition_alpha"}) {
    const Places places(7, {{"node", {0, 0, 1, 1, 1, 2, 2}}});
    test::Example example = test::make_example({Barrier, 7, 0, 0, true, {}});
    std::vector<op::Script> scripts;
    for (Call call : example.calls) {
      call.places = &places;
      scripts.push_back(find(Barrier, name)->stream(call));
    }
    const auto heard = test::execute(std::move(scripts), example.before, {}, Order::Descending);
    CHECK(heard == std::vector<std::uint64_t>(7, 127));
  }
}

/// How many messages go from one cluster to another.
std::map<std::pair<int, int>, int> between(CollectiveKind kind, const PartOfRank& cluster, int root) {
  const auto size = static_cast<int>(cluster.size());
  const Places places(size, {{"cluster", cluster}});
  std::map<std::pair<int, int>, int> count;
  for (int rank = 0; rank < size; ++rank) {
    const Call call{.kind = kind, .self = rank, .size = size, .root = root, .bytes = {64}, .places = &places};
    op::Script script = find(kind, "hierarchical")->stream(call);
    const auto cluster_of = [&](int of) { return static_cast<int>(cluster[static_cast<std::size_t>(of)]); };
    while (const op::Operation* operation = script.next()) {
      if (operation->kind != op::Kind::Isend || cluster_of(operation->peer) == cluster_of(rank)) continue;
      ++count[{cluster_of(rank), cluster_of(operation->peer)}];
    }
  }
  return count;
}

TEST_CASE("one message goes between two clusters, not one for each rank") {
  const PartOfRank cluster = parts(12, [](int rank) { return rank / 4; });
  for (const CollectiveKind kind : {Bcast, Scatter, Reduce, Gather}) {
    const auto found = between(kind, cluster, 5);
    CHECK(found.size() == 2);  // one to or from each of the others
    for (const auto& [pair, messages] : found) CHECK(messages == 1);
  }
  const auto found = between(Alltoall, cluster, 0);
  CHECK(found.size() == 6);  // each with each
  for (const auto& [pair, messages] : found) CHECK(messages == 1);
}

TEST_CASE("operations that do not commute need groups of consecutive ranks") {
  const Places consecutive(4, {{"node", {0, 0, 1, 1}}}), dealt(4, {{"node", {0, 1, 0, 1}}});
  Call call{.kind = Reduce, .size = 4, .bytes = {8}, .commutative = false};
  const Algorithm& algorithm = *find(Reduce, "hierarchical");
  CHECK_FALSE(algorithm.accepts(call));  // nobody knows where the ranks are
  call.places = &consecutive;
  CHECK(algorithm.accepts(call));
  call.places = &dealt;
  CHECK_FALSE(algorithm.accepts(call));
  call.commutative = true;
  CHECK(algorithm.accepts(call));
}

TEST_CASE("calls without an operation need no groups of consecutive ranks") {
  const Places dealt(4, {{"node", {0, 1, 0, 1}}});
  for (const CollectiveKind kind : {Barrier, Bcast, Gather, Scatter, Allgather, Alltoall})
    CHECK(find(kind, "hierarchical")->accepts({.kind = kind, .size = 4, .commutative = false, .places = &dealt}));
}

}  // namespace
}  // namespace orrery::collective
