// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/bine.hpp"
#include "collective/parts/circulant_rounds.hpp"
#include "collective/places.hpp"

namespace orrery::collective {
namespace {

std::vector<int> children(const TreeNode& node) { return {node.children.begin(), node.children.end()}; }

/// What a rank sends: to whom, and how many bytes.
struct Sent {
  int to;
  std::int64_t bytes;
};
std::vector<Sent> sent(CollectiveKind kind, std::string_view name, const Call& call) {
  std::vector<Sent> all;
  op::Script script = find(kind, name)->stream(call);
  while (const op::Operation* operation = script.next())
    if (operation->kind == op::Kind::Isend) all.push_back({operation->peer, operation->bytes.count});
  return all;
}

TEST_CASE("partners of a Bine butterfly are partners of each other, at distances 1, -1, 3, -5") {
  CHECK(bine_partner(0, 0, 16) == 1);
  CHECK(bine_partner(0, 1, 16) == 15);
  CHECK(bine_partner(0, 2, 16) == 3);
  CHECK(bine_partner(0, 3, 16) == 11);
  for (int step = 0; step < 6; ++step)
    for (int number = 0; number < 64; ++number) CHECK(bine_partner(bine_partner(number, step, 64), step, 64) == number);
}

TEST_CASE("positions of a Bine butterfly are a permutation, and lead back") {
  std::vector<int> positions;
  for (int number = 0; number < 8; ++number) positions.push_back(bine_position(number, 8));
  CHECK(positions == std::vector{0, 4, 6, 1, 3, 7, 5, 2});
  for (int number = 0; number < 256; ++number) CHECK(bine_number(bine_position(number, 256), 256) == number);
}

TEST_CASE("a Bine tree gives its farthest child the data first") {
  CHECK(children(bine_tree(0, {8, 0})) == std::vector{3, 7, 1});
  CHECK(children(bine_tree(3, {8, 0})) == std::vector{4, 2});
  CHECK(bine_tree(6, {8, 0}).parent == 7);
  CHECK(children(bine_tree(5, {6, 5})) == std::vector{4, 1, 0});  // relative: 5, 2 and, as 6 is no power of two, 1
}

TEST_CASE("who hands on in one half of a double tree is a leaf of the other") {
  for (int size = 2; size < 70; ++size) {
    int alone = 0;  // leaves of both
    for (int rank = 0; rank < size; ++rank) {
      const Call call{.kind = CollectiveKind::Bcast, .self = rank, .size = size, .root = 1 % size, .bytes = {64}};
      if (rank == call.root) continue;
      const std::vector<Sent> all = sent(CollectiveKind::Bcast, "double_tree", call);
      CHECK(all.size() <= 2);
      CHECK(std::ranges::all_of(all, [](Sent message) { return message.bytes == 32; }));
      alone += all.empty() ? 1 : 0;
    }
    CHECK(alone == (size % 2 == 0 ? 1 : 0));
  }
}

TEST_CASE("a circulant reduce-scatter takes as many rounds as a number has bits, and sends no block twice") {
  for (const int size : {2, 3, 6, 7, 8, 9, 33}) {
    const Call call{.kind = CollectiveKind::ReduceScatterBlock, .self = size / 2, .size = size, .bytes = {10}};
    const std::vector<Sent> all = sent(CollectiveKind::ReduceScatterBlock, "circulant", call);
    int rounds = 0;
    while (1 << rounds < size) ++rounds;
    std::int64_t bytes = 0;
    for (const Sent& message : all) bytes += message.bytes;
    CHECK(static_cast<int>(all.size()) == rounds);
    CHECK(bytes == 10 * (size - 1));
  }
}

TEST_CASE(
    "on a circulant graph every block comes to every rank once, from one that has it, in as few rounds as can be") {
  for (int size = 2; size < 140; ++size) {
    int bits = 0;
    while (1 << bits < size) ++bits;
    for (const int blocks : {1, 2, 5, 8, 13}) {
      std::vector<std::vector<CirculantRound>> of_rank;
      for (int rank = 0; rank < size; ++rank) of_rank.push_back(circulant_rounds(rank, size, blocks));
      std::vector<std::vector<bool>> has(static_cast<std::size_t>(size));
      for (auto& held : has) held.assign(static_cast<std::size_t>(blocks), false);
      has[0].assign(static_cast<std::size_t>(blocks), true);
      const auto rounds = static_cast<std::size_t>(blocks - 1 + bits);
      bool right = std::ranges::all_of(of_rank, [&](const auto& own) { return own.size() == rounds; });
      for (std::size_t number = 0; right && number < rounds; ++number) {
        std::vector<std::pair<std::size_t, std::size_t>> arrived;
        for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
          const CirculantRound& round = of_rank[rank][number];
          right = right && of_rank[static_cast<std::size_t>(round.to)][number].in == round.out;
          right = right && (round.out < 0 || has[rank][static_cast<std::size_t>(round.out)]);
          if (round.in >= 0) arrived.emplace_back(rank, static_cast<std::size_t>(round.in));
        }
        for (const auto& [rank, block] : arrived) {
          right = right && !has[rank][block];
          has[rank][block] = true;
        }
      }
      for (const auto& held : has) right = right && std::ranges::all_of(held, [](bool there) { return there; });
      INFO(size << " ranks, " << blocks << " blocks");
      CHECK(right);
    }
  }
}

TEST_CASE("each lane of a node carries its part of the vector between nodes") {
  const std::vector<std::uint32_t> node{0, 0, 1, 1, 2, 2};
  const Places places(6, {{"node", node}});
  for (int rank = 0; rank < 2; ++rank) {
    const Call call{.kind = CollectiveKind::Bcast, .self = rank, .size = 6, .bytes = {100}, .places = &places};
    for (const Sent& message : sent(CollectiveKind::Bcast, "multi_lane", call)) CHECK(message.bytes == 50);
  }
}

}  // namespace
}  // namespace orrery::collective
