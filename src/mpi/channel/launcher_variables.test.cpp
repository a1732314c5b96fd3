// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/launcher_variables.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "catch.hpp"

using namespace orrery::mpi::channel;

namespace {

/// Ranks 0, 2 and 3 on one node, rank 1 on another.
Memory three_and_one() {
  Memory memory = Memory::create(4);
  const std::array<std::string, 3> names{"a", "b", "c"};
  const std::array<std::uint32_t, 4> host_of_rank{2, 0, 2, 2};
  memory.set_hosts(names, host_of_rank);
  return memory;
}

TEST_CASE("a rank's place is that among its world, and on its node") {
  const Memory memory = three_and_one();
  const auto places = places_in(memory, 0);
  REQUIRE(places.size() == 4);
  const auto check = [](const RankPlace& place, int rank, int local_rank, int local_size, int node) {
    CHECK(place.rank == rank);
    CHECK(place.size == 4);
    CHECK(place.local_rank == local_rank);
    CHECK(place.local_size == local_size);
    CHECK(place.node == node);
    CHECK(place.nodes == 2);
  };
  check(places[0], 0, 0, 3, 0);
  check(places[1], 1, 0, 1, 1);
  check(places[2], 2, 1, 3, 0);
  check(places[3], 3, 2, 3, 0);
}

TEST_CASE("entries of the environment say so under all names, forked or not") {
  const Memory memory = three_and_one();
  const RankPlace place = places_in(memory, 0)[3];
  const auto entries = launcher_entries(place);
  CHECK(entries.size() == launcher_variables().size());
  for (const char* const entry : {"OMPI_COMM_WORLD_LOCAL_RANK=2", "PMI_RANK=3", "MPI_LOCALNRANKS=3", "SLURM_NODEID=0"})
    CHECK(std::ranges::find(entries, entry) != entries.end());
  ForkedVariables::prepare();
  ForkedVariables::set(place);
  for (const std::string& entry : entries) {
    const std::size_t end = entry.find('=');
    REQUIRE(std::getenv(entry.substr(0, end).c_str()) != nullptr);
    CHECK(std::getenv(entry.substr(0, end).c_str()) == entry.substr(end + 1));
  }
}

TEST_CASE("another launcher's variables are told from the user's") {
  for (const char* const entry : {"PMI_RANK=1", "PMI_FD=7", "PMIX_RANK=0", "PMIX_SERVER_URI2=x", "SLURM_PROCID=3"})
    CHECK(is_of_a_launcher(entry));
  for (const char* const entry : {"PMI_RANKS=1", "SLURM_JOB_ID=7", "PATH=/bin", "OMPI_MCA_btl=self"})
    CHECK_FALSE(is_of_a_launcher(entry));
}

}  // namespace
