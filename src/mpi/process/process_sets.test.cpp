// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/process_sets.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/hardware.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::split;

namespace {

using testing::Ranks;
using Names = std::vector<std::string>;

constexpr const char* groups = "1:6:ocean=0-3&asked_cores=2&clusters=a,b:ocean/east=0-2/2:ocean/west=3,1:air=5,4";

/// Six ranks with groups, on a host each: clusters a {0, 1, 2} and b {3, 4, 5}.
testing::RunRecord run_with(const char* table, const std::function<void(int)>& body) {
  const std::vector<channel::Level> levels{{"cluster", {0, 0, 0, 1, 1, 1}, {"a", "b"}},
                                           {"node", {0, 1, 2, 3, 4, 5}, {"n0", "n1", "n2", "n3", "n4", "n5"}}};
  return testing::run_on(6, levels, [&](int rank) {
    setenv(env_groups, table, 1);
    body(rank);
  });
}

const std::string* about(const ProcessSet& set, const std::string& wanted) {
  for (const auto& [key, value] : set.about) {
    if (key == wanted) return &value;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("A rank is in the process sets of its groups, from the outermost, and of the parts that it landed on") {
  const auto record = run_with(groups, [](int rank) {
    if (rank == 2) {
      expect(own_process_sets() == Names{"mpi://WORLD", "mpi://SELF", "orrery://group/ocean",
                                         "orrery://group/ocean/east", "orrery://cluster/a", "orrery://node/n2"},
             "its sets");
    }
    if (rank == 5) {
      expect(own_process_sets() ==
                 Names{"mpi://WORLD", "mpi://SELF", "orrery://group/air", "orrery://cluster/b", "orrery://node/n5"},
             "its sets");
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Members of a set are in the order that the table gives, and what is known of it can be asked") {
  const auto record = run_with(groups, [](int) {
    expect(process_set("orrery://group/ocean/east").world == Ranks{0, 2}, "every second one");
    expect(process_set("orrery://group/ocean/west").world == Ranks{3, 1}, "in the order of the table");
    expect(process_set("orrery://cluster/b").world == Ranks{3, 4, 5}, "physical, and not the same as a group");
    const ProcessSet ocean = process_set("orrery://group/ocean");
    expect(*about(ocean, "orrery_group_colour") == "0" && *about(ocean, "orrery_group_name") == "ocean", "colour");
    expect(*about(ocean, "orrery_asked_cores") == "2" && *about(ocean, "orrery_clusters") == "a,b", "facts");
    expect(*about(process_set("orrery://group/air"), "orrery_group_colour") == "3", "the last colour");
    expect(about(process_set("orrery://group/air"), "orrery_asked_cores") == nullptr, "facts of its own only");
    for (const char* name : {"orrery://group/fire", "orrery://group/", "orrery://cluster", "orrery://cluster/", "x",
                             "orrery://socket/0", "orrery://"}) {
      expect(error_of([&] { static_cast<void>(process_set(name)); }) == err_arg, name);
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("A communicator is divided by a process set, of which each rank may name another one") {
  const auto record = run_with(groups, [](int rank) {
    const auto part_in = [](const char* set) {
      return split(comm_world(), comm_type_resource_guided, "mpi_pset_name", set);
    };
    // Both have rank 0 as their first member, and are two sets all the same.
    const Comm* part = part_in(rank == 1 || rank == 3 ? "orrery://group/ocean" : "orrery://group/ocean/east");
    const Ranks expected = rank == 1 || rank == 3 ? Ranks{1, 3} : Ranks{0, 2};
    expect(rank < 4 ? part->group->world == expected : part == nullptr, "parts");
    expect(part_in("orrery://group/fire") == nullptr, "there is no such set");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("A table that is damaged, or made for another number of ranks, is an error that says so") {
  for (const char* table : {"1",
                            "2:6:a=0",
                            "1:6",
                            "1:6:",
                            "1:6:a",
                            "1:6:a=",
                            "1:6:a=6",
                            "1:6:a=3-2",
                            "1:6:a=0-",
                            "1:6:a=0,",
                            "1:6:a=0,0",
                            "1:6:a=0-4/0",
                            "1:6:a=0;1",
                            "1:6:/a=0",
                            "1:6:a//b=0",
                            "1:6:a b=0",
                            "1:6:a=0:",
                            "1:99999999999999999999:a=0",
                            "1:16777217:a=0",
                            "1:0:a=0",
                            "1:6:a&b=0",
                            "1:5:a=0-4"}) {
    const auto record = run_with(table, [&](int) {
      std::string text;
      expect(error_of([] { static_cast<void>(own_process_sets()); }, &text) == err_other, table);
      expect(text.starts_with("ORRERY_GROUPS "), text);
    });
    CHECK(record.all_ended_well());
  }
}

TEST_CASE("Without a table, or with an empty one, there are no groups") {
  const auto record = run_with("", [](int) { expect(own_process_sets().size() == 4, "WORLD, SELF, cluster, node"); });
  CHECK(record.all_ended_well());
}
