// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/hardware.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::split;

namespace {

using testing::Ranks;

/// Six ranks, on a host each: clusters {0, 1, 2, 3} and {4, 5}, cabinets {0, 1}, {2, 3} and {4, 5}.
testing::RunRecord run_on_grid(const std::function<void(int)>& body) {
  const std::vector<channel::Level> levels{
      {"cluster", {0, 0, 0, 0, 1, 1}}, {"cabinet", {0, 0, 1, 1, 2, 2}}, {"node", {0, 1, 2, 3, 4, 5}}};
  return testing::run_on(6, levels, body);
}

std::string resource_type(Comm& comm) {
  const auto* value = comm.info == nullptr ? nullptr : comm.info->find("mpi_hw_resource_type");
  return value == nullptr ? "" : *value;
}

}  // namespace

TEST_CASE("a communicator is divided by the levels of the platform, by their names") {
  const auto record = run_on_grid([](int rank) {
    Comm* part = split(comm_world(), comm_type_hw_guided, "mpi_hw_resource_type", "cabinet");
    expect(part->group->world == (rank < 2 ? Ranks{0, 1} : rank < 4 ? Ranks{2, 3} : Ranks{4, 5}), "cabinets");
    expect(resource_type(*part) == "orrery://cabinet", "the hint says so");
    part = split(comm_world(), comm_type_resource_guided, "mpi_hw_resource_type", "orrery://cluster");
    expect(part->group->world == (rank < 4 ? Ranks{0, 1, 2, 3} : Ranks{4, 5}), "clusters");
    part = split(comm_world(), comm_type_resource_guided, "mpi_pset_name", "mpi://WORLD");
    expect(part->size() == 6, "a process set");
    expect(split(comm_world(), comm_type_hw_guided, "mpi_hw_resource_type", "socket") == nullptr, "no such level");
    expect(split(comm_world(), comm_type_hw_guided) == nullptr, "no hint");
    expect(error_of([] { split(comm_world(), 7); }) == err_arg, "no such type");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("unguided, a communicator is divided again and again, until each part is one host") {
  const auto record = run_on_grid([](int rank) {
    Comm* cluster = split(comm_world(), comm_type_hw_unguided);
    expect(cluster->size() == (rank < 4 ? 4 : 2) && resource_type(*cluster) == "orrery://cluster", "first clusters");
    Comm* next = split(*cluster, comm_type_hw_unguided);
    expect(next->size() == (rank < 4 ? 2 : 1), "then cabinets, or nodes where there is one cabinet");
    expect(resource_type(*next) == (rank < 4 ? "orrery://cabinet" : "orrery://node"), "what they are");
    if (rank < 4) next = split(*next, comm_type_hw_unguided);
    expect(next->size() == 1, "then nodes");
    expect(split(*next, comm_type_hw_unguided) == nullptr, "and no further");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a rank can ask for the levels that there are") {
  const auto record = run_on_grid([](int) {
    Info* info = nullptr;
    get_hw_resource_info(info);
    expect(info->entries.size() == 3 && *info->find("orrery://cabinet") == "true", "the levels");
    info_free(info);
  });
  CHECK(record.all_ended_well());
}
