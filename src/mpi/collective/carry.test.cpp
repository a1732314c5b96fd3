// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/carry.hpp"

#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/ranks_fixture.test.hpp"

namespace orrery::mpi {
namespace {

using testing::expect;
using testing::run;

constexpr int ranks = 5;
constexpr int numbers_each = 3;  // from each to each
using Numbers = std::vector<std::int32_t>;

/// Carries from each to each what tells both, and the call.
bool carry_numbers(int rank, int call, Numbers& in, Numbers& out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = 1000 * call + 100 * rank + static_cast<std::int32_t>(i);
  }
  auto& type = testing::int_type();
  return carry_slices(Blocks(in.data(), numbers_each, type), Blocks(out.data(), numbers_each, type), comm_world());
}

TEST_CASE("Slices are carried from buffer to buffer, call after call") {
  const auto record = run(ranks, [](int rank) {
    Numbers in(ranks * numbers_each);
    Numbers out(in.size());
    for (int call = 0; call < 50; ++call) {
      expect(carry_numbers(rank, call, in, out), "carried");
      for (int i = 0; i < ranks * numbers_each; ++i) {
        const int expected = 1000 * call + 100 * (i / numbers_each) + rank * numbers_each + i % numbers_each;
        expect(out[static_cast<std::size_t>(i)] == expected, "the number that was sent");
      }
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Nobody carries what is in place or has gaps on one member") {
  const auto record = run(ranks, [](int rank) {
    Numbers in(ranks * numbers_each);
    Numbers out(in.size());
    expect(!carry_numbers(rank, 0, in, rank == 2 ? in : out), "in place");
    Datatype* every_second = nullptr;
    type_vector(numbers_each, 1, 2, testing::int_type(), every_second);
    type_commit(every_second);
    Numbers wide(2 * in.size());
    const Blocks gaps(wide.data(), 1, *every_second);
    const Blocks dense(in.data(), numbers_each, testing::int_type());
    const Blocks recv(out.data(), numbers_each, testing::int_type());
    expect(!carry_slices(rank == 0 ? gaps : dense, recv, comm_world()), "with gaps");
    expect(carry_numbers(rank, 1, in, out), "the next call is carried again");
    type_free(every_second);
  });
  CHECK(record.all_ended_well());
}

}  // namespace
}  // namespace orrery::mpi
