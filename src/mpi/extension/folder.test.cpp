// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/extension/folder.hpp"

#include <cstring>

#include "catch.hpp"
#include "mpi/extension/extension.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;

namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

}  // namespace

TEST_CASE("memory of one place is the same in all ranks, that of another place is not") {
  const RunRecord record = run(2, [](int rank) {
    auto* here = static_cast<char*>(orrery_shared_malloc(gib, "it.c", 7));
    auto* there = static_cast<char*>(orrery_shared_malloc(gib, "it.c", 8));
    expect(here != nullptr && there != nullptr, "there is room");
    const auto meet = [] {
      const Call call(9);
      barrier(comm_world());
    };
    if (rank == 0) {
      here[5] = 1;
      there[5] = 2;
    }
    meet();
    expect(here[5] == 1 && there[5] == 2, "as rank 0 has written");
    meet();
    if (rank == 1) std::memset(here + gib - 4096, 3, 4096);
    meet();
    expect(here[gib - 1] == 3, "as rank 1 has written, at the end too");
    orrery_shared_free(here);
    orrery_shared_free(there);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("where all is to be as in a real run, memory is a rank's own") {
  const RunRecord record = run(
      2,
      [](int rank) {
        auto* here = static_cast<int*>(orrery_shared_malloc(1 << 20, "it.c", 7));
        *here = rank;
        {
          const Call call(9);
          barrier(comm_world());
        }
        expect(*here == rank, "not overwritten");
        orrery_shared_free(here);
      },
      all_complete, [](channel::Memory& memory) { memory.header().execute_all = 1; });
  CHECK(record.all_ended_well());
}

TEST_CASE("outside of a rank memory is from the heap, and may be given back there") {
  void* here = orrery_shared_malloc(100, "it.c", 7);
  REQUIRE(here != nullptr);
  std::memset(here, 1, 100);
  orrery_shared_free(here);
  orrery_shared_free(nullptr);
}
