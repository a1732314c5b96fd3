// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/comm.hpp"

#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::comparison;
using testing::error_of;
using testing::expect;
using testing::Ranks;
using testing::run;

namespace {

/// The communicator is of use: all its ranks meet in it, and in no other.
void expect_to_work(Comm& comm, const Ranks& world) {
  expect(comm.group->world == world, "members");
  expect(comm.world(comm.rank) == this_rank().world_rank(), "own rank");
  Ranks found(world.size());
  auto own = this_rank().world_rank();
  allgather(&own, 1, testing::int_type(), found.data(), 1, testing::int_type(), comm);
  expect(found == world, "allgather");
}

bool error_was_noted = false;
void note_comm_error(void*, int*, ...) { error_was_noted = true; }

/// Even ranks on host 0, odd ones on host 1.
void two_hosts(channel::Memory& memory) {
  auto* host = memory.as<std::uint32_t>(memory.header().host_of_rank);
  for (std::uint32_t rank = 0; rank < memory.header().ranks; ++rank) host[rank] = rank % 2;
}

}  // namespace

// MPI-4.1, section 7.4.2: ranks are ordered by key, and by their old rank where keys are equal.
TEST_CASE("A split puts ranks of one color together, ordered by key") {
  const auto record = run(6, [](int rank) {
    Comm* part = nullptr;
    const int color = rank == 5 ? undefined : rank % 2;
    comm_split(comm_world(), color, rank < 2 ? 9 : 1, part);
    if (rank == 5) return expect(part == nullptr, "no color, no communicator");
    expect_to_work(*part, rank % 2 == 0 ? Ranks{2, 4, 0} : Ranks{3, 1});
    expect(error_of([] {
             Comm* none = nullptr;
             comm_split(comm_world(), -1, 0, none);
           }) == err_arg,
           "a negative color");
    comm_free(part);
    expect(part == nullptr, "freed");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("A duplicate is congruent, separate, and inherits the error handler and what attributes allow") {
  const auto record = run(3, [](int) {
    auto& world = comm_world();
    int key = keyval_invalid;
    comm_create_keyval(reinterpret_cast<void (*)()>(dup_value), nullptr, key, nullptr);
    int value = 7;
    comm_set_attr(world, key, &value);
    comm_set_errhandler(world, errors_return());
    Comm* copy = nullptr;
    comm_dup(world, copy);
    expect(comparison(world, *copy) == congruent, "congruent");
    expect(comparison(world, world) == ident, "identical to itself");
    expect_to_work(*copy, {0, 1, 2});
    Errhandler* errhandler = nullptr;
    comm_get_errhandler(*copy, errhandler);
    expect(errhandler == &errors_return(), "error handler");
    void* found = nullptr;
    bool flag = false;
    comm_get_attr(*copy, key, &found, flag);
    expect(flag && found == &value, "attribute");
    comm_free(copy);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("An immediate duplicate is of use once its request is complete, others may be made meanwhile") {
  const auto record = run(4, [](int) {
    Comm* first = nullptr;
    Comm* second = nullptr;
    Comm* third = nullptr;
    Request* requests[2] = {};
    comm_idup(comm_world(), first, requests[0]);
    comm_idup(comm_world(), second, requests[1]);
    comm_dup(comm_world(), third);
    wait(requests[1], nullptr);
    wait(requests[0], nullptr);
    expect(first->id != second->id && first->id != third->id && second->id != third->id, "three communicators");
    for (Comm* comm : {first, second, third}) {
      expect_to_work(*comm, {0, 1, 2, 3});
      comm_free(comm);
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Groups become communicators: several at once, in their own order") {
  const auto record = run(5, [](int rank) {
    auto& world = comm_world();
    const int odd[] = {3, 1};
    const int even[] = {4, 0};
    Group* group = nullptr;
    group_incl(*world.group, rank == 2 ? 0 : 2, rank % 2 == 0 ? even : odd, group);
    Comm* created = nullptr;
    comm_create(world, *group, created);
    if (rank == 2) {
      expect(created == nullptr, "an empty group");
    } else {
      expect_to_work(*created, rank % 2 == 0 ? Ranks{4, 0} : Ranks{3, 1});
      comm_free(created);
    }
    group_free(group);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Members alone create a communicator of their group, several times, while others do something else") {
  const auto record = run(5, [](int rank) {
    auto& world = comm_world();
    if (rank == 1) return;
    const int chosen[] = {4, 2, 3, 0};
    Group* group = nullptr;
    group_incl(*world.group, 4, chosen, group);
    for (int i = 0; i < 3; ++i) {
      Comm* created = nullptr;
      comm_create_group(world, *group, 17, created);
      expect_to_work(*created, {4, 2, 3, 0});
      comm_free(created);
    }
    group_free(group);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a communicator keeps the hints that are known, and those that a later call does not name") {
  const auto record = run(1, [](int) {
    Comm* comm = nullptr;
    comm_dup(comm_world(), comm);
    const auto set = [&](const char* key, const char* value) {
      Info* info = nullptr;
      info_create(info);
      info_set(info, key, value);
      comm_set_info(*comm, info);
      info_free(info);
    };
    set("mpi_assert_no_any_tag", "true");
    set("a_key_of_nobody", "true");
    set("mpi_assert_no_any_source", "true");
    Info* used = nullptr;
    comm_get_info(*comm, used);
    expect(used->find("mpi_assert_no_any_tag") != nullptr, "the first");
    expect(used->find("mpi_assert_no_any_source") != nullptr, "the last");
    expect(used->entries.size() == 2, "the other is ignored (MPI-4.1, section 7.4.4)");
    info_free(used);
    comm_free(comm);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Ranks of one simulated host share a communicator") {
  const auto record = run(
      5,
      [](int rank) {
        Comm* shared = nullptr;
        comm_split_type(comm_world(), comm_type_shared, -rank, nullptr, shared);
        expect_to_work(*shared, rank % 2 == 0 ? Ranks{4, 2, 0} : Ranks{3, 1});
        comm_free(shared);
        shared = testing::split(comm_world(), comm_type_hw_guided, "mpi_hw_resource_type", "mpi_shared_memory");
        expect_to_work(*shared, rank % 2 == 0 ? Ranks{0, 2, 4} : Ranks{1, 3});
        comm_free(shared);
        shared = testing::split(comm_world(), comm_type_hw_guided, "mpi_hw_resource_type", "L3Cache");
        expect(shared == nullptr, "a level that is not modelled");
      },
      testing::all_complete, two_hosts);
  CHECK(record.all_ended_well());
}

TEST_CASE("The kernel learns when a communicator is no longer used, after its last immediate call") {
  const auto record = run(2, [](int) {
    Comm* copy = nullptr;
    comm_dup(comm_world(), copy);
    Request* request = nullptr;
    ibarrier(*copy, request);
    comm_free(copy);
    wait(request, nullptr);
  });
  CHECK(record.all_ended_well());
  // The duplication itself, the barrier, the wait for it, and only then the end.
  CHECK(record.kinds(0) ==
        std::vector{op::Kind::Collective, op::Kind::Collective, op::Kind::WaitAll, op::Kind::CommFree});
  CHECK(record.sent[0][3].operation.comm == record.sent[0][1].operation.comm);
}

TEST_CASE("Predefined communicators have names and stay") {
  const auto record = run(2, [](int rank) {
    char name[128];
    int length = 0;
    comm_get_name(&comm_world(), name, length);
    expect(std::strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14, "name");
    comm_set_name(comm_self(), std::string(200, 'x').c_str());
    comm_get_name(&comm_self(), name, length);
    expect(length == 127, "names are cut to MPI_MAX_OBJECT_NAME - 1");
    Comm* self = &comm_self();
    expect(error_of([&] { comm_free(self); }) == err_comm, "free");
    expect_to_work(comm_self(), {rank});
    expect(comparison(comm_self(), comm_world()) == unequal, "unequal");
    void* universe = nullptr;
    bool flag = false;
    comm_get_attr(comm_world(), key_universe_size, &universe, flag);
    expect(flag && *static_cast<int*>(universe) == 2, "MPI_UNIVERSE_SIZE");
    int size = 0;
    expect(error_of([&] { comm_remote_size(comm_world(), size); }) == err_comm, "no remote group");
  });
  CHECK(record.all_ended_well());
}

// MPI-4.1, section 9.3, names MPI_COMM_SELF; before MPI-4.0 it was MPI_COMM_WORLD.
TEST_CASE("Errors of calls without an object go to the handler that the program has set") {
  const auto record = run(1, [](int) {
    comm_set_errhandler(comm_world(), errors_return());
    expect(raise(nullptr, {err_arg, "no object"}, "MPI_Type_dup") == err_arg, "that of the world");
    Errhandler* errhandler = nullptr;
    comm_create_errhandler(reinterpret_cast<void (*)()>(note_comm_error), errhandler);
    comm_set_errhandler(comm_self(), *errhandler);
    expect(raise(nullptr, {err_arg, "no object"}, "MPI_Type_dup") == err_arg && error_was_noted,
           "that of MPI_COMM_SELF");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("A communicator that was freed is known as such by who has kept its handle") {
  const auto record = run(1, [](int) {
    Comm* copy = nullptr;
    comm_dup(comm_world(), copy);
    const Comm* kept = copy;
    comm_free(copy);
    expect(copy == nullptr && kept->freed, "freed");
    expect(!comm_world().freed, "others are not");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Where no error handler was set, the present one of MPI_COMM_WORLD deals with errors") {
  const auto record = run(1, [](int) {
    Comm* copy = nullptr;
    comm_dup(comm_world(), copy);
    comm_set_errhandler(comm_world(), errors_return());
    // MPI_ERRORS_ARE_FATAL would end the process here.
    expect(raise(copy, Error{err_arg, "an argument"}, "MPI_Anything") == err_arg, "returned");
    Errhandler* own = nullptr;
    comm_get_errhandler(*copy, own);
    expect(own == &errors_are_fatal(), "its own is still the default");
  });
  CHECK(record.all_ended_well());
}
