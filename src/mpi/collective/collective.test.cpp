// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/reduction/reduction.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::run;
using testing::sum_op;

namespace {

constexpr std::uint32_t abi_int64 = 0x258;  // MPI_INT64_T
using Number = std::int64_t;
using Int64s = std::vector<Number>;

Datatype& number_type() { return *predefined_datatype(abi_int64); }
/// The i-th number that `rank` sends to `to`; all differ.
Number value(int rank, int to, std::int64_t i) { return (rank + 1) * 1'000'000'000LL + (to + 1) * 1'000'000LL + i; }

Int64s values(int rank, int to, std::int64_t count) {
  Int64s numbers(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = value(rank, to, i);
  return numbers;
}

void append(Int64s& to, const Int64s& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Runs a call both ways: blocking, and immediate with a wait.
template <class Blocking, class Immediate>
void both_ways(Blocking blocking, Immediate immediate) {
  blocking();
  Request* request = nullptr;
  immediate(request);
  wait(request, nullptr);
  expect(request == nullptr, "the request is gone");
}

/// An operation that is associative but does not commute: a pair (a, b) stands for x -> a x + b, modulo 2^64.
struct Affine {
  std::uint64_t a;
  std::uint64_t b;
  friend bool operator==(const Affine&, const Affine&) = default;
};
Affine operator*(Affine first, Affine second) { return {first.a * second.a, first.b * second.a + second.b}; }
Affine affine(int rank, std::int64_t i) {
  return {static_cast<std::uint64_t>(2 * rank + 3), static_cast<std::uint64_t>(i + 7 * rank + 1)};
}

/// affine(first) * ... * affine(last - 1)
Affine composed(int last, std::int64_t i) {
  Affine total = affine(0, i);
  for (int rank = 1; rank < last; ++rank) total = total * affine(rank, i);
  return total;
}

struct AffineKind {
  AffineKind() {
    type_contiguous(2, number_type(), type);
    type_commit(type);
    op_create_from(
        [](const void* in, void* inout, std::int64_t count, Datatype&) {
          for (std::int64_t i = 0; i < count; ++i) {
            auto& right = static_cast<Affine*>(inout)[i];
            right = static_cast<const Affine*>(in)[i] * right;
          }
        },
        false, op);
  }
  Datatype* type = nullptr;
  Op* op = nullptr;
};

std::vector<Affine> affines(int rank, std::int64_t count) {
  std::vector<Affine> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(affine(rank, i));
  return all;
}

// Nothing, one number, a message that travels in the inbox, one through shared memory, one that is fetched.
constexpr std::int64_t counts[] = {0, 1, 17, 700, 40'000};

void check_bcast(Comm& comm, std::int64_t count) {
  for (int root = 0; root < comm.size(); ++root) {
    const auto expected = values(root, 0, count);
    const auto fresh = comm.rank == root ? expected : Int64s(expected.size(), -1);
    auto numbers = fresh;
    both_ways([&] { bcast(numbers.data(), count, number_type(), root, comm); },
              [&](Request*& request) {
                numbers = fresh;
                ibcast(numbers.data(), count, number_type(), root, comm, request);
              });
    expect(numbers == expected, concat("bcast of ", count, " from ", root));
  }
}

void check_reductions(Comm& comm, std::int64_t count, AffineKind& kind) {
  const auto own = affines(comm.rank, count);
  std::vector<Affine> expected;
  for (std::int64_t i = 0; i < count; ++i) expected.push_back(composed(comm.size(), i));
  std::vector<Affine> result(own.size());
  both_ways([&] { allreduce(own.data(), result.data(), count, *kind.type, *kind.op, comm); },
            [&](Request*& request) {
              expect(result == expected, concat("allreduce of ", count));
              result = own;
              iallreduce(in_place, result.data(), count, *kind.type, *kind.op, comm, request);
            });
  expect(result == expected, concat("iallreduce in place of ", count));
  for (int root = 0; root < comm.size(); ++root) {
    const bool is_root = comm.rank == root;
    std::fill(result.begin(), result.end(), Affine{});
    reduce(own.data(), is_root ? result.data() : nullptr, count, *kind.type, *kind.op, root, comm);
    expect(!is_root || result == expected, concat("reduce of ", count, " to ", root));
    result = own;
    Request* request = nullptr;
    ireduce(is_root ? in_place : result.data(), result.data(), count, *kind.type, *kind.op, root, comm, request);
    wait(request, nullptr);
    expect(!is_root || result == expected, concat("ireduce in place of ", count, " to ", root));
  }
}

void check_scans(Comm& comm, std::int64_t count, AffineKind& kind) {
  const auto own = affines(comm.rank, count);
  std::vector<Affine> with_own;
  std::vector<Affine> before;
  for (std::int64_t i = 0; i < count; ++i) {
    with_own.push_back(composed(comm.rank + 1, i));
    if (comm.rank > 0) before.push_back(composed(comm.rank, i));
  }
  std::vector<Affine> result(own.size());
  both_ways([&] { scan(own.data(), result.data(), count, *kind.type, *kind.op, comm); },
            [&](Request*& request) {
              expect(result == with_own, concat("scan of ", count));
              result = own;
              iscan(in_place, result.data(), count, *kind.type, *kind.op, comm, request);
            });
  expect(result == with_own, concat("iscan in place of ", count));
  both_ways([&] { exscan(own.data(), result.data(), count, *kind.type, *kind.op, comm); },
            [&](Request*& request) {
              expect(comm.rank == 0 || result == before, concat("exscan of ", count));
              result = own;
              iexscan(in_place, result.data(), count, *kind.type, *kind.op, comm, request);
            });
  expect(comm.rank == 0 || result == before, concat("iexscan in place of ", count));
}

void check_reduce_scatter(Comm& comm, std::int64_t count, AffineKind& kind) {
  // Rank r gets count + r elements; then count elements each.
  std::vector<int> blocks(static_cast<std::size_t>(comm.size()));
  std::iota(blocks.begin(), blocks.end(), static_cast<int>(count));
  const auto total = std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  const auto first = std::accumulate(blocks.begin(), blocks.begin() + comm.rank, std::int64_t{0});
  auto own = affines(comm.rank, total);
  std::vector<Affine> result(static_cast<std::size_t>(count + comm.rank));
  const auto is_right = [&](const std::vector<Affine>& numbers, std::int64_t start, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) {
      if (!(numbers[static_cast<std::size_t>(i)] == composed(comm.size(), start + i))) return false;
    }
    return true;
  };
  reduce_scatter(own.data(), result.data(), blocks.data(), *kind.type, *kind.op, comm);
  expect(is_right(result, first, count + comm.rank), concat("reduce_scatter of ", count));
  Request* request = nullptr;
  ireduce_scatter_block(own.data(), result.data(), count, *kind.type, *kind.op, comm, request);
  wait(request, nullptr);
  expect(is_right(result, comm.rank * count, count), concat("ireduce_scatter_block of ", count));
  ireduce_scatter(in_place, own.data(), blocks.data(), *kind.type, *kind.op, comm, request);
  wait(request, nullptr);
  expect(is_right(own, first, count + comm.rank), concat("ireduce_scatter in place of ", count));
}

/// Blocks of count + r numbers for rank r, with a gap of two numbers before each.
struct Spread {
  Spread(const Comm& comm, std::int64_t count) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      counts.push_back(static_cast<int>(count) + rank);
      displacements.push_back(static_cast<int>(length) + 2);
      length += counts.back() + 2;
    }
  }
  [[nodiscard]] Int64s block(const Int64s& all, int rank) const {
    const auto start = all.begin() + displacements[static_cast<std::size_t>(rank)];
    return {start, start + counts[static_cast<std::size_t>(rank)]};
  }
  [[nodiscard]] std::int64_t count(int rank) const { return counts[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Number* place(Int64s& all, int rank) const {
    return all.data() + displacements[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Int64s gaps() const { return Int64s(static_cast<std::size_t>(length), -1); }
  std::vector<int> counts;
  std::vector<int> displacements;
  std::int64_t length = 0;
};

void check_gathers(Comm& comm, std::int64_t count) {
  Int64s expected;
  for (int rank = 0; rank < comm.size(); ++rank) append(expected, values(rank, 0, count));
  const Spread spread(comm, count);
  auto& type = number_type();
  for (int root = 0; root < comm.size(); ++root) {
    const bool is_root = comm.rank == root;
    const auto own = values(comm.rank, 0, count);
    Int64s all(is_root ? expected.size() : 0);
    gather(own.data(), count, type, all.data(), count, type, root, comm);
    expect(!is_root || all == expected, concat("gather of ", count, " to ", root));

    const auto longer = values(comm.rank, 1, spread.count(comm.rank));
    auto varying = spread.gaps();
    if (is_root) std::ranges::copy(longer, spread.place(varying, root));
    Request* request = nullptr;
    igatherv(is_root ? in_place : longer.data(), spread.count(comm.rank), type, varying.data(), spread.counts.data(),
             spread.displacements.data(), type, root, comm, request);
    wait(request, nullptr);
    for (int rank = 0; is_root && rank < comm.size(); ++rank) {
      expect(spread.block(varying, rank) == values(rank, 1, spread.count(rank)), concat("gatherv of ", count));
    }
    expect(std::ranges::count(varying, -1) == (is_root ? 2 * comm.size() : spread.length), "gaps stay as they were");
  }
}

void check_scatters(Comm& comm, std::int64_t count) {
  const Spread spread(comm, count);
  auto& type = number_type();
  for (int root = 0; root < comm.size(); ++root) {
    const bool is_root = comm.rank == root;
    Int64s all;
    auto varying = spread.gaps();
    for (int rank = 0; is_root && rank < comm.size(); ++rank) {
      append(all, values(root, rank, count));
      std::ranges::copy(values(root, rank, spread.count(rank)), spread.place(varying, rank));
    }
    Int64s own(static_cast<std::size_t>(count));
    Request* request = nullptr;
    iscatter(all.data(), count, type, own.data(), count, type, root, comm, request);
    wait(request, nullptr);
    expect(own == values(root, comm.rank, count), concat("iscatter of ", count, " from ", root));
    Int64s longer(static_cast<std::size_t>(spread.count(comm.rank)));
    scatterv(varying.data(), spread.counts.data(), spread.displacements.data(), type,
             is_root ? in_place : longer.data(), spread.count(comm.rank), type, root, comm);
    expect(is_root || longer == values(root, comm.rank, spread.count(comm.rank)), concat("scatterv of ", count));
  }
}

void check_allgathers(Comm& comm, std::int64_t count) {
  Int64s expected;
  for (int rank = 0; rank < comm.size(); ++rank) append(expected, values(rank, 0, count));
  auto& type = number_type();
  const auto own = values(comm.rank, 0, count);
  Int64s all(expected.size());
  both_ways([&] { allgather(own.data(), count, type, all.data(), count, type, comm); },
            [&](Request*& request) {
              expect(all == expected, concat("allgather of ", count));
              std::ranges::fill(all, -1);
              std::ranges::copy(own, all.begin() + comm.rank * count);
              iallgather(in_place, 0, type, all.data(), count, type, comm, request);
            });
  expect(all == expected, concat("iallgather in place of ", count));
  const Spread spread(comm, count);
  const auto longer = values(comm.rank, 1, spread.count(comm.rank));
  auto varying = spread.gaps();
  allgatherv(longer.data(), spread.count(comm.rank), type, varying.data(), spread.counts.data(),
             spread.displacements.data(), type, comm);
  for (int rank = 0; rank < comm.size(); ++rank) {
    expect(spread.block(varying, rank) == values(rank, 1, spread.count(rank)), concat("allgatherv of ", count));
  }
  expect(std::ranges::count(varying, -1) == 2 * comm.size(), "gaps stay as they were");
}

void check_alltoalls(Comm& comm, std::int64_t count) {
  auto& type = number_type();
  Int64s sent;
  Int64s expected;
  for (int rank = 0; rank < comm.size(); ++rank) {
    append(sent, values(comm.rank, rank, count));
    append(expected, values(rank, comm.rank, count));
  }
  Int64s all(expected.size());
  both_ways([&] { alltoall(sent.data(), count, type, all.data(), count, type, comm); },
            [&](Request*& request) {
              expect(all == expected, concat("alltoall of ", count));
              all = sent;
              ialltoall(in_place, 0, type, all.data(), count, type, comm, request);
            });
  expect(all == expected, concat("ialltoall in place of ", count));

  // To rank r go count + r numbers, so count + self come from each. In alltoallw displacements are in bytes.
  const Spread to(comm, count);
  std::vector<int> from_counts(static_cast<std::size_t>(comm.size()), static_cast<int>(count) + comm.rank);
  std::vector<int> from_places(from_counts.size());
  for (std::size_t i = 0; i < from_places.size(); ++i) from_places[i] = static_cast<int>(i) * (from_counts[i] + 1);
  auto varying = to.gaps();
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::ranges::copy(values(comm.rank, rank, to.count(rank)), to.place(varying, rank));
  }
  Int64s received(static_cast<std::size_t>(comm.size() * (from_counts[0] + 1)), -1);
  const auto is_right = [&] {
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto start = received.begin() + from_places[static_cast<std::size_t>(rank)];
      if (Int64s(start, start + from_counts[0]) != values(rank, comm.rank, from_counts[0])) return false;
    }
    return std::ranges::count(received, -1) == comm.size();
  };
  alltoallv(varying.data(), to.counts.data(), to.displacements.data(), type, received.data(), from_counts.data(),
            from_places.data(), type, comm);
  expect(is_right(), concat("alltoallv of ", count));
  const auto in_bytes = [](std::vector<int> places) {
    for (auto& place : places) place *= static_cast<int>(sizeof(Number));
    return places;
  };
  const auto to_bytes = in_bytes(to.displacements);
  const auto from_bytes = in_bytes(from_places);
  const std::vector<Datatype*> types(from_counts.size(), &type);
  std::ranges::fill(received, -1);
  Request* request = nullptr;
  ialltoallw(varying.data(), to.counts.data(), to_bytes.data(), types.data(), received.data(), from_counts.data(),
             from_bytes.data(), types.data(), comm, request);
  wait(request, nullptr);
  expect(is_right(), concat("ialltoallw of ", count));
}

void check_all(Comm& comm) {
  AffineKind kind;
  for (const auto count : counts) {
    // Tests of large messages need no large communicators.
    if (count > 1000 && comm.size() > 4) continue;
    barrier(comm);
    check_bcast(comm, count);
    check_reductions(comm, count, kind);
    check_scans(comm, count, kind);
    check_reduce_scatter(comm, count, kind);
    check_gathers(comm, count);
    check_scatters(comm, count);
    check_allgathers(comm, count);
    check_alltoalls(comm, count);
  }
  op_free(kind.op);
  type_free(kind.type);
}

}  // namespace

TEST_CASE("Collectives move and combine the right data: world, self, duplicate, reversed halves") {
  const int ranks = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17);
  CAPTURE(ranks);
  const auto record = run(ranks, [](int) {
    auto& world = comm_world();
    check_all(world);
    check_all(comm_self());
    Comm* copy = nullptr;
    comm_dup(world, copy);
    check_all(*copy);
    comm_free(copy);
    Comm* half = nullptr;
    comm_split(world, world.rank % 2, -world.rank, half);
    check_all(*half);
    comm_free(half);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Datatypes with gaps go through every pattern") {
  const auto record = run(3, [](int) {
    auto& world = comm_world();
    // Every second number; the extent is that of 3, so that elements follow without a gap between them.
    Datatype* holes = nullptr;
    type_vector(2, 1, 2, number_type(), holes);
    type_commit(holes);
    for (const std::int64_t count : {2, 500}) {
      const auto length = static_cast<std::size_t>(3 * count);
      const auto spread_out = [&](int rank) {
        Int64s numbers(length, -1);
        for (std::size_t i = 0; i < length; ++i) {
          if (i % 3 != 1) numbers[i] = value(rank, 0, static_cast<std::int64_t>(i));
        }
        return numbers;
      };
      const Int64s fresh(length, -1);
      const auto own = spread_out(world.rank);
      auto result = world.rank == 1 ? own : fresh;
      bcast(result.data(), count, *holes, 1, world);
      expect(result == spread_out(1), "bcast");
      Int64s all(3 * length, -1);
      allgather(own.data(), count, *holes, all.data(), count, *holes, world);
      Int64s expected;
      for (int rank = 0; rank < 3; ++rank) append(expected, spread_out(rank));
      expect(all == expected, "allgather");
      std::ranges::fill(all, -1);
      alltoall(expected.data(), count, *holes, all.data(), count, *holes, world);
      expected.clear();
      for (int rank = 0; rank < 3; ++rank) append(expected, spread_out(world.rank));
      expect(all == expected, "alltoall");
      Op* add = nullptr;
      op_create_from(
          [](const void* in, void* inout, std::int64_t n, Datatype&) {
            for (std::int64_t i = 0; i < 3 * n; ++i) {
              if (i % 3 != 1) static_cast<Number*>(inout)[i] += static_cast<const Number*>(in)[i];
            }
          },
          true, add);
      result = fresh;
      allreduce(own.data(), result.data(), count, *holes, *add, world);
      for (std::size_t i = 0; i < length; ++i) {
        const auto j = static_cast<std::int64_t>(i);
        expect(result[i] == (i % 3 == 1 ? -1 : value(0, 0, j) + value(1, 0, j) + value(2, 0, j)), "allreduce");
      }
      op_free(add);
    }
    type_free(holes);
  });
  CHECK(record.all_ended_well());
}

namespace {

/// `first` calls the collective and only then sends what `second` waits for before its own call.
void one_after_the_other(int rank, int first, int second, const std::function<void()>& call) {
  auto& type = number_type();
  if (rank == second) recv(nullptr, 0, type, first, 0, comm_world(), nullptr);
  call();
  if (rank == first) send(nullptr, 0, type, second, 0, comm_world());
  barrier(comm_world());
}

}  // namespace

// A rank that waits here for another than in the simulation would wait for ever if the other waits for the kernel's
// answer, and the kernel for the next operation of this one.
TEST_CASE("No rank waits for another whose data it does not need") {
  const auto record = run(3, [](int rank) {
    auto& world = comm_world();
    auto& type = number_type();
    Int64s in(100'000, rank + 1);
    Int64s out(100'000);
    one_after_the_other(rank, 0, 2, [&] { scan(in.data(), out.data(), 1, type, sum_op(), world); });
    expect(out[0] == (rank + 1) * (rank + 2) / 2, "scan");
    one_after_the_other(rank, 2, 1, [&] { bcast(in.data(), 0, type, 0, world); });
    one_after_the_other(rank, 1, 0, [&] { allreduce(in.data(), out.data(), 0, type, sum_op(), world); });
    // So much data is fetched from the sender's memory, here before its turn.
    one_after_the_other(rank, 2, 1, [&] { reduce(in.data(), out.data(), 100'000, type, sum_op(), 0, world); });
    expect(rank != 0 || out.back() == 6, "reduce");
    const int counts[] = {0, 1, 1};
    const int places[] = {0, 0, 1};
    one_after_the_other(rank, 1, 0,
                        [&] { allgatherv(in.data(), counts[rank], type, out.data(), counts, places, type, world); });
    expect(out[0] == 2 && out[1] == 3, "allgatherv");
    one_after_the_other(rank, 1, 0,
                        [&] { gatherv(in.data(), counts[rank], type, out.data(), counts, places, type, 1, world); });
  });
  CHECK(record.all_ended_well());
}

// The padding behind the last of them is none of its bytes, but combining reads it (see the preset asan).
TEST_CASE("pairs with padding are reduced through messages") {
  struct Pair {
    long value;
    int index;
  };
  static_assert(sizeof(Pair) > sizeof(long) + sizeof(int));
  const auto record = run(3, [](int rank) {
    std::array<Pair, 10> in{}, out{};
    for (int i = 0; i < 10; ++i) in[static_cast<std::size_t>(i)] = {(i + rank) % 3, rank};
    allreduce(in.data(), out.data(), 10, *predefined_datatype(0x22a), *predefined_op(0x39), comm_world());
    for (int i = 0; i < 10; ++i) {
      const Pair& largest = out[static_cast<std::size_t>(i)];
      expect(largest.value == 2 && largest.index == (2 - i % 3), "the largest, and where it is");
    }
  });
  CHECK(record.all_ended_well());
}

// Nobody may sleep through messages while it waits on the board: 40 payloads of 2 KB are more than an inbox holds.
TEST_CASE("A rank that waits for a small reduction takes messages meanwhile") {
  const auto record = run(5, [](int rank) {
    auto& world = comm_world();
    const Int64s in(256, rank);
    Int64s out(256, -1);
    constexpr int messages = 40;
    for (int round = 0; round < 20; ++round) {
      if (rank != 0) {
        for (int i = 0; i < messages; ++i) send(in.data(), 256, number_type(), 0, i, world);
      }
      allreduce(in.data(), out.data(), 6, number_type(), sum_op(), world);
      expect(out[0] == 10 && out[5] == 10, "the sum of 0 to 4");
      for (int from = 1; rank == 0 && from < 5; ++from) {
        for (int i = 0; i < messages; ++i) recv(out.data(), 256, number_type(), from, i, world, nullptr);
      }
    }
  });
  CHECK(record.all_ended_well());
}

// What 40 ranks send to the hub is 80 KB, an inbox has 64 KiB: some must wait for room while the hub sleeps.
TEST_CASE("More contributions than an inbox holds come through") {
  const auto record = run(40, [](int rank) {
    auto& type = number_type();
    Int64s all(40 * 250);
    for (int i = 0; i < 20; ++i) {
      const auto own = values(rank, i, 250);
      allgather(own.data(), 250, type, all.data(), 250, type, comm_world());
      for (int other = 0; other < 40; ++other) {
        expect(all[static_cast<std::size_t>(other * 250 + 249)] == value(other, i, 249), "allgather");
      }
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Several immediate collectives are under way at once and complete in any order") {
  const auto record = run(4, [](int) {
    auto& world = comm_world();
    Int64s sums(20);
    Int64s numbers(20);
    std::vector<Request*> requests(20);
    for (std::size_t i = 0; i < 20; ++i) {
      numbers[i] = static_cast<Number>(i) * (world.rank + 1);
      iallreduce(&numbers[i], &sums[i], 1, number_type(), sum_op(), world, requests[i]);
    }
    std::ranges::reverse(requests);
    waitall(requests, nullptr);
    for (std::size_t i = 0; i < 20; ++i) expect(sums[i] == static_cast<Number>(i) * 10, "1 + 2 + 3 + 4 = 10 times");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("An immediate collective may be called before or after a blocking one, as real libraries allow") {
  const auto record = run(3, [](int) {
    auto& world = comm_world();
    const Number number = world.rank + 1;
    Number total = 0;
    Request* request = nullptr;
    if (world.rank != 1) barrier(world);
    iallreduce(&number, &total, 1, number_type(), sum_op(), world, request);
    if (world.rank == 1) barrier(world);
    wait(request, nullptr);
    expect(total == 6, "1 + 2 + 3");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Wrong arguments and sizes that do not fit have their error classes") {
  const auto record = run(2, [](int) {
    auto& world = comm_world();
    auto& type = number_type();
    Int64s numbers(4);
    Int64s result(4);
    expect(error_of([&] { bcast(numbers.data(), 1, type, 2, world); }) == err_root, "root");
    expect(error_of([&] { bcast(numbers.data(), -1, type, 0, world); }) == err_count, "count");
    expect(error_of([&] { bcast(in_place, 1, type, 0, world); }) == err_buffer, "in place");
    const auto same = numbers.data();
    expect(error_of([&] { allreduce(same, same, 1, type, sum_op(), world); }) == err_buffer, "both buffers the same");
    expect(error_of([&] { allgather(same + world.rank, 1, type, same, 1, type, world); }) == err_buffer,
           "the send buffer is one's block");
    auto& floats = *predefined_datatype(0x214);  // MPI_DOUBLE: has no bits to combine
    auto& bitwise_or = *predefined_op(0x29);     // MPI_BOR
    expect(error_of([&] { allreduce(numbers.data(), result.data(), 1, floats, bitwise_or, world); }) == err_op,
           "operation");
    const int expected = world.rank == 0 ? success : err_truncate;
    expect(error_of([&] { bcast(numbers.data(), world.rank == 0 ? 4 : 2, type, 0, world); }) == expected,
           "a broadcast of 4 to room for 2");
    Request* request = nullptr;
    ibcast(numbers.data(), world.rank == 0 ? 4 : 2, type, 0, world, request);
    expect(error_of([&] { wait(request, nullptr); }) == expected, "an immediate broadcast of 4 to room for 2");
    bcast(numbers.data(), 4, type, 0, world);  // the communicator is still of use
  });
  CHECK(record.all_ended_well());
}

namespace {

std::vector<testing::Sent> collectives_of(const std::vector<testing::Sent>& all) {
  std::vector<testing::Sent> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [](const auto& sent) { return sent.operation.kind == op::Kind::Collective; });
  return found;
}

}  // namespace

// The expected bytes are those that collective/collective.hpp's Call documents.
TEST_CASE("Small reductions of different sizes are an error on every member") {
  const auto record = run(3, [](int rank) {
    const Int64s in(6, 1);
    Int64s out(6);
    const auto call = [&] {
      allreduce(in.data(), out.data(), rank == 1 ? 2 : 3, number_type(), sum_op(), comm_world());
    };
    expect(error_of(call) == err_truncate, "the sizes differ");
    allreduce(in.data(), out.data(), 3, number_type(), sum_op(), comm_world());
    expect(out[2] == 3, "the next call is right again");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("The kernel is told how far apart elements lie, if they have gaps") {
  const auto record = run(2, [](int) {
    auto& world = comm_world();
    Datatype* spread = nullptr;
    type_create_resized(number_type(), 0, 24, spread);
    type_commit(spread);
    Int64s in(12);
    Int64s out(12);
    const int blocks[] = {2, 2};
    const int places[] = {0, 2};
    bcast(in.data(), 2, *spread, 0, world);
    allgatherv(in.data(), 2, number_type(), out.data(), blocks, places, *spread, world);
    allgatherv(in.data(), 2, *spread, out.data(), blocks, places, number_type(), world);
    type_free(spread);
  });
  REQUIRE(record.all_ended_well());
  const auto calls = collectives_of(record.sent[1]);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].operation.element == 8);
  CHECK(calls[0].operation.extent == 24);
  CHECK(calls[1].operation.extent == 24);  // of an allgather, what all ranks receive counts
  CHECK(calls[2].operation.extent == 0);
}

TEST_CASE("The kernel is told of each call once, on each rank") {
  const auto record = run(3, [](int) {
    auto& world = comm_world();
    auto& type = number_type();
    Int64s in(30);
    Int64s out(30);
    const int blocks[] = {1, 2, 3};
    const int places[] = {0, 1, 3};
    barrier(world);
    bcast(in.data(), 5, type, 2, world);
    allreduce(in.data(), out.data(), 5, type, sum_op(), world);
    gatherv(in.data(), world.rank + 1, type, out.data(), blocks, places, type, 1, world);
    alltoall(in.data(), 4, type, out.data(), 4, type, world);
    reduce_scatter(in.data(), out.data(), blocks, type, sum_op(), world);
    Request* request = nullptr;
    ibarrier(world, request);
    wait(request, nullptr);
  });
  REQUIRE(record.all_ended_well());
  const int first_immediate = CallNumbers{}.next_other();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto calls = collectives_of(record.sent[rank]);
    REQUIRE(calls.size() == 7);
    const auto check = [&](std::size_t i, op::CollectiveKind kind, std::int64_t bytes, int root) {
      CAPTURE(rank, i);
      CHECK(calls[i].operation.collective == kind);
      CHECK(calls[i].operation.bytes.count == bytes);
      CHECK(calls[i].operation.peer == root);
      CHECK(calls[i].operation.tag == (i == 6 ? first_immediate : static_cast<int>(i)));
      CHECK(calls[i].operation.comm == 0);
      CHECK(calls[i].operation.has(op::Blocking) == (i != 6));
      CHECK((calls[i].operation.request != 0) == (i == 6));
    };
    check(0, op::CollectiveKind::Barrier, 0, 0);
    check(1, op::CollectiveKind::Bcast, 40, 2);
    check(2, op::CollectiveKind::Allreduce, 40, 0);
    CHECK(calls[2].operation.has(op::Commutative));
    CHECK(calls[2].operation.element == 8);
    check(3, op::CollectiveKind::Gatherv, 8 * static_cast<std::int64_t>(rank + 1), 1);
    CHECK(calls[3].counts == (rank == 1 ? Int64s{8, 16, 24} : Int64s{}));
    check(4, op::CollectiveKind::Alltoall, 32, 0);
    check(5, op::CollectiveKind::ReduceScatter, 48, 0);
    CHECK(calls[5].counts == Int64s{8, 16, 24});
    check(6, op::CollectiveKind::Barrier, 0, 0);
  }
}

TEST_CASE("the kernel is told of operations that the program has made, and of blocks that are replaced in place") {
  const auto record = run(2, [](int) {
    auto& world = comm_world();
    auto& type = number_type();
    Int64s in(8), out(8);
    Op* mine = nullptr;
    op_create_from([](const void*, void*, std::int64_t, Datatype&) {}, true, mine);
    allreduce(in.data(), out.data(), 2, type, sum_op(), world);
    allreduce(in.data(), out.data(), 2, type, *mine, world);
    alltoall(in.data(), 2, type, out.data(), 2, type, world);
    alltoall(in_place, 2, type, out.data(), 2, type, world);
    op_free(mine);
  });
  REQUIRE(record.all_ended_well());
  const auto calls = collectives_of(record.sent[0]);
  REQUIRE(calls.size() == 4);
  CHECK_FALSE(calls[0].operation.has(op::UserDefined));
  CHECK(calls[1].operation.has(op::UserDefined));
  CHECK(calls[1].operation.has(op::Commutative));
  CHECK_FALSE(calls[2].operation.has(op::InPlace));
  CHECK(calls[3].operation.has(op::InPlace));
}
