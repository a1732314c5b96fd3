// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/swap.hpp"

#include <sched.h>

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "catch.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

namespace orrery::mpi {
namespace {

using testing::expect;
using testing::run;

using Numbers = std::vector<std::int32_t>;

std::int32_t swapped_value(int from, int to, int call, int position) {
  return from * 1'000'003 + to * 10'007 + call * 101 + position;
}

/// One call of `count` numbers from each to each.
void swap_numbers(Comm& comm, int call, int count, bool in_its_place) {
  const int size = comm.size();
  const auto all = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
  Numbers in(all);
  Numbers out(all, -1);
  for (std::size_t i = 0; i < all; ++i) {
    in[i] = swapped_value(comm.rank, static_cast<int>(i) / count, call, static_cast<int>(i) % count);
  }
  auto& type = testing::int_type();
  if (in_its_place) {
    out = in;
    alltoall(in_place, 0, type, out.data(), count, type, comm);
  } else {
    alltoall(in.data(), count, type, out.data(), count, type, comm);
  }
  for (std::size_t i = 0; i < all; ++i) {
    const auto expected = swapped_value(static_cast<int>(i) / count, comm.rank, call, static_cast<int>(i) % count);
    if (out[i] != expected) expect(false, concat("number ", i, " of call ", call));
  }
}

TEST_CASE("Calls that follow each other at once do not mix up their slices") {
  for (const int ranks : {1, 2, 3, 8}) {
    const auto record = run(ranks, [](int rank) {
      for (int call = 0; call < 200; ++call) {
        // Some are late, in turn: others are a call ahead of those that still read.
        if (call % 7 == rank) sched_yield();
        swap_numbers(comm_world(), call, 1 + call % 5 * 50, call % 3 == 0);
      }
    });
    CHECK(record.all_ended_well());
  }
}

// 36 times 36 slices of 116,000 bytes are more than the 128 MiB from which on they are carried, in several parts.
TEST_CASE("Slices that are too many bytes to be mapped arrive, in place and with gaps, too") {
  const auto record = run(36, [](int rank) {
    auto& world = comm_world();
    constexpr int count = 29'000;
    swap_numbers(world, 0, count, false);
    swap_numbers(world, 1, count, true);
    Datatype* pairs = nullptr;
    type_vector(count / 2, 2, 3, testing::int_type(), pairs);  // two of three numbers
    type_commit(pairs);
    constexpr std::size_t slice = (count / 2 - 1) * 3 + 2;
    const auto numbers_in_world = slice * static_cast<std::size_t>(world.size());
    Numbers in(numbers_in_world, rank + 1);
    Numbers out(numbers_in_world, -1);
    alltoall(in.data(), 1, *pairs, out.data(), 1, *pairs, world);
    for (std::size_t i = 0; i < numbers_in_world; ++i) {
      const auto expected = i % slice % 3 == 2 ? -1 : static_cast<std::int32_t>(i / slice) + 1;
      if (out[i] != expected) expect(false, concat("number ", i));
    }
    type_free(pairs);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("A slice that does not fit is an error where it comes, and the next call is right again") {
  const auto record = run(3, [](int rank) {
    auto& type = testing::int_type();
    const Numbers in(3 * 4, rank);
    Numbers out(3 * 4, -1);
    const int room = rank == 1 ? 2 : 4;
    const auto call = [&] { alltoall(in.data(), 4, type, out.data(), room, type, comm_world()); };
    expect(testing::error_of(call) == (rank == 1 ? err_truncate : success), "4 numbers to room for 2");
    if (rank == 1) expect(out[0] == 0 && out[2] == 1 && out[4] == 2 && out[6] == -1, "as many as fit");
    swap_numbers(comm_world(), 1, 4, false);
  });
  CHECK(record.all_ended_well());
}

}  // namespace
}  // namespace orrery::mpi
