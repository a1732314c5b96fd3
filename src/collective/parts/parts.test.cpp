// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/contiguous_knomial.hpp"
#include "collective/parts/fold.hpp"
#include "collective/parts/recursive_exchange.hpp"

namespace orrery::collective {
namespace {

TEST_CASE("a split cuts at elements, in order, into blocks that differ by at most one element") {
  // 11 elements of 4 bytes among 4: 3 3 3 2.
  const Blocks blocks = Blocks::split({44}, 4, 4);
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < 4; ++i) sizes.push_back(blocks.bytes(i).count);
  REQUIRE(sizes == std::vector<std::int64_t>{12, 12, 12, 8});
  REQUIRE(blocks.offset(3) == 36);
  REQUIRE(blocks.total() == Bytes{44});
}

TEST_CASE("a split of fewer elements than blocks leaves the last ones empty") {
  const Blocks blocks = Blocks::split({16}, 8, 5);
  REQUIRE(blocks.bytes(1) == Bytes{8});
  REQUIRE(blocks.bytes(2) == Bytes{0});
  REQUIRE(blocks.offset(5) == 16);
}

TEST_CASE("what does not divide may go to the last block") {
  // 11 elements of 4 bytes among 4: 2 2 2 5.
  const Blocks blocks = Blocks::rest_to_last({44}, 4, 4);
  REQUIRE(blocks.bytes(2) == Bytes{8});
  REQUIRE(blocks.bytes(3) == Bytes{20});
  REQUIRE(blocks.total() == Bytes{44});
}

TEST_CASE("segments are rounded down to elements, the last is what remains") {
  const Blocks blocks = Blocks::segments({100}, 10, {35});  // 30 30 30 10
  REQUIRE(blocks.count() == 4);
  REQUIRE(blocks.bytes(0) == Bytes{30});
  REQUIRE(blocks.bytes(3) == Bytes{10});
  REQUIRE(Blocks::segments({100}, 10, {3}).count() == 10);  // at least one element
  REQUIRE(Blocks::segments({100}, 10, {}).count() == 1);
  REQUIRE(Blocks::segments({}, 10, {}).count() == 0);
}

TEST_CASE("fragments are of whole elements, and the last one has what remains") {
  // 25 elements of 4 bytes: ⌈100 / 30⌉ = 4 fragments of 6, the last of 7.
  const Blocks blocks = Blocks::fragments({100}, 4, {30});
  REQUIRE(blocks.count() == 4);
  REQUIRE(blocks.bytes(0) == Bytes{24});
  REQUIRE(blocks.bytes(3) == Bytes{28});
  // An element longer than a fragment: nothing but in the last one.
  REQUIRE(Blocks::fragments({100}, 100, {30}).bytes(2) == Bytes{0});
  REQUIRE(Blocks::fragments({100}, 100, {30}).bytes(3) == Bytes{100});
  REQUIRE(Blocks::fragments({}, 4, {30}).count() == 0);
}

TEST_CASE("listed blocks lie one after the other, in whatever order they are asked for") {
  const std::vector<std::int64_t> counts{5, 0, 7, 1, 0, 30, 2};
  const Blocks blocks = Blocks::listed(counts);
  for (const int block : {7, 0, 3, 3, 6, 1, 2, 5, 4, 7, 0}) {
    REQUIRE(blocks.offset(block) == std::accumulate(counts.begin(), counts.begin() + block, std::int64_t{0}));
  }
  REQUIRE(blocks.range(output, {2, 6}).bytes == Bytes{38});
}

TEST_CASE("siblings make up the range that was halved") {
  const BlockRange whole{8, 16};
  REQUIRE(whole.half(true).first == 12);
  for (const bool upper : {true, false}) {
    const BlockRange half = whole.half(upper);
    REQUIRE(half.sibling().first == whole.half(!upper).first);
    REQUIRE(half.parent().first == whole.first);
    REQUIRE(half.parent().last == whole.last);
  }
}

TEST_CASE("a fold numbers those who remain from 0 to 2^k - 1, in rank order") {
  for (int size = 1; size <= 33; ++size) {
    for (const auto which : {Fold::Remaining::Even, Fold::Remaining::Odd}) {
      std::vector<int> remaining;
      for (int self = 0; self < size; ++self) {
        const Fold fold(self, size, which);
        if (fold.remains()) {
          REQUIRE(fold.number() == static_cast<int>(remaining.size()));
          REQUIRE(fold.rank(fold.number()) == self);
          remaining.push_back(self);
        } else {
          REQUIRE(self % 2 == (which == Fold::Remaining::Even ? 1 : 0));
          REQUIRE(Fold(fold.neighbour(), size, which).remains());
        }
      }
      REQUIRE(static_cast<int>(remaining.size()) == Fold(0, size).power());
    }
  }
}

TEST_CASE("a short segment may come first") {
  const Blocks blocks = Blocks::segments_short_first({100}, 10, {35});  // 10 30 30 30
  REQUIRE(blocks.count() == 4);
  REQUIRE(blocks.bytes(0) == Bytes{10});
  REQUIRE(blocks.bytes(1) == Bytes{30});
  REQUIRE(blocks.offset(4) == 100);
  REQUIRE(Blocks::segments_short_first({100}, 10, {3}).count() == 1);  // no element fits: whole
  REQUIRE(Blocks::segments_short_first({90}, 10, {35}).bytes(0) == Bytes{30});
}

TEST_CASE("in a recursive exchange every rank hands over to one that remains, and numbers stand for all ranks") {
  for (int size = 1; size <= 40; ++size) {
    for (int k = 2; k <= 6; ++k) {
      const RecursiveExchange any(0, size, k);
      REQUIRE(any.first_rank(0) == 0);
      REQUIRE(any.first_rank(any.power()) == size);
      for (int self = 0; self < size; ++self) {
        const RecursiveExchange exchange(self, size, k);
        const int proxy = exchange.rank(exchange.number());
        REQUIRE(proxy >= self);
        REQUIRE(RecursiveExchange(proxy, size, k).remains());
        REQUIRE(RecursiveExchange(proxy, size, k).first_of_group() <= self);
        REQUIRE(exchange.reversed(exchange.reversed(exchange.number())) == exchange.number());
      }
    }
  }
}

TEST_CASE("a recursive exchange of 7 ranks by 3 is as drawn") {
  // 0→2 1→2, 3→5 4→5; ranks 2, 5, 6 remain as 0, 1, 2
  for (const auto& [self, proxy] : {std::pair{0, 2}, {1, 2}, {2, 2}, {3, 5}, {4, 5}, {5, 5}, {6, 6}}) {
    const RecursiveExchange exchange(self, 7, 3);
    REQUIRE(exchange.rank(exchange.number()) == proxy);
  }
  REQUIRE(RecursiveExchange(5, 7, 3).partner(1, 0, 2) == 2);
}

TEST_CASE("contiguous subtrees of a k-nomial node's children follow it and fill its own") {
  for (int size = 1; size <= 40; ++size) {
    for (int k = 2; k <= 5; ++k) {
      for (int relative = 0; relative < size; ++relative) {
        const ContiguousKnomial place(relative, size, k);
        int end = relative + 1;
        for (const BlockRange& child : place.children()) {
          REQUIRE(child.first == end);
          REQUIRE(ContiguousKnomial(child.first, size, k).parent() == relative);
          REQUIRE(ContiguousKnomial(child.first, size, k).subtree().last == child.last);
          end = child.last;
        }
        REQUIRE(end == place.subtree().last);
      }
    }
  }
}

TEST_CASE("the subtrees of a binomial node's children and the node itself tile its subtree") {
  for (int size = 1; size <= 17; ++size) {
    for (int relative = 0; relative < size; ++relative) {
      const BinomialNode node{relative, size};
      int end = relative + 1;
      for (int distance = 1; node.has_child(distance); distance *= 2) {
        const BinomialNode child{node.child(distance), size};
        REQUIRE(child.parent() == relative);
        REQUIRE(child.subtree().first == end);
        end = child.subtree().last;
      }
      REQUIRE(end == node.subtree().last);
    }
  }
}

TEST_CASE("an accumulator that commutes ends where its result is wanted, without copies") {
  Accumulator accumulator(3, true, output, scratch);
  for (const int peer : {5, 1, 9}) {
    const auto batch = accumulator.absorb_from(peer, {accumulator.incoming(), {8}});
    const std::span<const op::Operation> operations = batch;
    REQUIRE(operations.size() == 1);
    REQUIRE(operations[0].kind == op::Kind::Reduce);
    REQUIRE(operations[0].here.buffer == op::Buffer::Output);
  }
  REQUIRE(accumulator.value().buffer == op::Buffer::Output);
  REQUIRE(accumulator.place(output, {accumulator.value(), {8}}).size() == 0);
}

}  // namespace
}  // namespace orrery::collective
