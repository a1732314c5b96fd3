// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload/workload.hpp"

#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "catch.hpp"
#include "replay/workload/draws.hpp"
#include "replay/workload_source.hpp"

using namespace orrery;
using namespace orrery::replay;
using namespace orrery::replay::workload;

namespace {

std::vector<op::Operation> stream(WorkloadSource& source, std::int32_t rank) {
  std::vector<op::Operation> all;
  op::Operation operation;
  while (source.next(WorldRank{rank}, operation) == op::Pull::Ready) all.push_back(operation);
  return all;
}

WorkloadSource source_of(Phase phase, std::int32_t ranks, std::int64_t steps = 1) {
  return WorkloadSource({std::move(phase)}, ranks, steps, 1, {});
}

/// By sender, receiver and tag: bytes sent and bytes that are received, in order.
using Pairs = std::map<std::tuple<int, int, int>, std::vector<std::int64_t>>;

void check_matched(WorkloadSource source, std::size_t messages) {
  Pairs sent, received;
  std::size_t count = 0;
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(source.ranks()); ++rank) {
    for (const op::Operation& operation : stream(source, rank)) {
      if (operation.kind == op::Kind::Isend) {
        sent[{rank, operation.peer, operation.tag}].push_back(operation.bytes.count);
        ++count;
      }
      if (operation.kind == op::Kind::Irecv)
        received[{operation.peer, rank, operation.tag}].push_back(operation.bytes.count);
    }
  }
  CHECK(sent == received);
  CHECK(count == messages);
}

}  // namespace

TEST_CASE("neighbours of a grid, the last dimension fastest") {
  const Grid grid{3, 4, 1, 1};
  CHECK(neighbour(grid, 0, 0, 1, false) == 4);
  CHECK(neighbour(grid, 0, 1, 1, false) == 1);
  CHECK(neighbour(grid, 0, 0, -1, false) == -1);
  CHECK(neighbour(grid, 0, 0, -1, true) == 8);
  CHECK(neighbour(grid, 7, 1, 1, true) == 4);
}

TEST_CASE("all that a halo exchange sends is received") {
  check_matched(source_of({.what = Halo{{5, 1, 1, 1}, {8}, true}}, 5), 10);      // two each
  check_matched(source_of({.what = Halo{{5, 1, 1, 1}, {8}, false}}, 5), 8);      // 2 (5 - 1)
  check_matched(source_of({.what = Halo{{2, 3, 1, 1}, {8, 16}, true}}, 6), 24);  // both ways round a ring of two
  check_matched(source_of({.what = Halo{{2, 3, 2, 2}, {1, 2, 3, 4}, false}}, 24), 2 * (12 + 16 + 12 + 12));
  check_matched(source_of({.what = Halo{{1, 1, 1, 1}, {8}, true}}, 1), 0);
}

TEST_CASE("a halo exchange waits for all that it began") {
  WorkloadSource source = source_of({.what = Halo{{4, 4, 1, 1}, {8, 8}, true}}, 16);
  const std::vector<op::Operation> all = stream(source, 3);
  REQUIRE(all.size() == 10);  // 4 receives, 4 sends, wait, finalize
  CHECK(all[8].kind == op::Kind::WaitAll);
  CHECK(all[9].kind == op::Kind::Finalize);
}

TEST_CASE("all that a wavefront sends is received, whatever its corner") {
  check_matched(source_of({.what = Wavefront{{3, 4, 1, 1}, {8, 16}, 5, 4, 1e-3}}, 12), 5 * 4 * (2 * 4 + 3 * 3));
  check_matched(source_of({.what = Wavefront{{2, 2, 2, 1}, {8, 8, 8}, 2, 8, 0}}, 8), 2 * 8 * 12);
}

TEST_CASE("a rank of a wavefront computes each plane once") {
  WorkloadSource source = source_of({.what = Wavefront{{3, 3, 1, 1}, {8, 8}, 5, 4, 0.25}}, 9);
  for (std::int32_t rank = 0; rank < 9; ++rank) {
    double sum = 0;
    for (const op::Operation& operation : stream(source, rank)) sum += operation.compute_s;
    CHECK(sum == 5.0);  // 5 planes, 4 sweeps, exact in binary
  }
}

TEST_CASE("random messages are matched, of sizes between the limits, and the same for the same seed") {
  const Random random{20, 5, 9, 42};
  WorkloadSource source = source_of({.what = random}, 33, 2), again = source_of({.what = random}, 33, 2);
  std::set<std::int64_t> sizes;
  for (const op::Operation& operation : stream(source, 7)) {
    if (operation.kind == op::Kind::Isend) sizes.insert(operation.bytes.count);
  }
  CHECK(sizes == std::set<std::int64_t>{5, 6, 7, 8, 9});
  const auto all = stream(again, 8), same = stream(source, 8);
  REQUIRE(all.size() == same.size());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].peer == same[i].peer);
}

TEST_CASE("a permutation takes every value once, and its inverse undoes it") {
  for (const std::uint32_t size : {1u, 2u, 3u, 16u, 17u, 1000u}) {
    const Permutation permutation(size, 5);
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t image = permutation(i);
      CHECK(image < size);
      CHECK(permutation.inverse(image) == i);
      seen.insert(image);
    }
    CHECK(seen.size() == size);
  }
}

TEST_CASE("steps and repetitions multiply, and computation precedes each") {
  Phase phase{.what = Collective{op::CollectiveKind::Allreduce, 8, 8, 0}, .repeat = 3, .compute_s = 0.5};
  WorkloadSource source = source_of(phase, 4, 2);
  const std::vector<op::Operation> all = stream(source, 1);
  REQUIRE(all.size() == 7);
  CHECK(all[5].compute_s == 0.5);
  CHECK(all[5].tag == 5);  // the number of the call
  CHECK(all[6].compute_s == 0);
}

TEST_CASE("imbalance stays in its bounds and differs between ranks") {
  WorkloadSource source = source_of({.what = Compute{}, .repeat = 1, .compute_s = 2, .imbalance = 0.5, .seed = 1}, 50);
  std::set<double> times;
  for (std::int32_t rank = 0; rank < 50; ++rank) {
    const double seconds = stream(source, rank).front().compute_s;
    CHECK(seconds >= 1);
    CHECK(seconds <= 3);
    times.insert(seconds);
  }
  CHECK(times.size() == 50);
}

TEST_CASE("a workload that does not fit its ranks is refused") {
  CHECK_THROWS_AS(source_of({.what = Halo{{2, 2, 1, 1}, {8, 8}, true}}, 5), InputError);
  CHECK_THROWS_AS(source_of({.what = MasterWorker{5}}, 1), InputError);
  CHECK_THROWS_AS(source_of({.what = Collective{op::CollectiveKind::Bcast, 8, 8, 4}}, 4), InputError);
}
