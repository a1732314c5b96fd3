// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/session.hpp"

#include <string>

#include "catch.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::run;

TEST_CASE("A session beside MPI_COMM_WORLD makes communicators of process sets") {
  const auto record = run(3, [](int rank) {
    Session* session = nullptr;
    session_init(nullptr, errors_return(), session);
    int count = 0;
    session_get_num_psets(*session, nullptr, count);
    expect(count == 2, "two process sets");
    for (int n = 0; n < count; ++n) {
      int length = 0;
      session_get_nth_pset(*session, nullptr, n, length, nullptr);
      std::string name(static_cast<std::size_t>(length), '?');
      session_get_nth_pset(*session, nullptr, n, length, name.data());
      Group* group = nullptr;
      group_from_session_pset(*session, name.c_str(), group);
      expect(group->size() == (n == 0 ? 3 : 1), "members of a process set");
      Comm* comm = nullptr;
      comm_create_from_group(*group, "a tag", nullptr, errors_return(), comm);
      expect(comm->rank == (n == 0 ? rank : 0), "rank");
      barrier(*comm);
      comm_free(comm);
      release(*group);
    }
    Group* group = nullptr;
    expect(error_of([&] { group_from_session_pset(*session, "mpi://elsewhere", group); }) == err_arg, "unknown set");
    int length = 1;
    expect(error_of([&] { session_get_nth_pset(*session, nullptr, 2, length, nullptr); }) == err_arg, "n");
    expect(error_of([&] { session_get_nth_pset(*session, nullptr, 0, length, nullptr); }) == err_arg, "no room");
    char few[4];
    length = sizeof few;
    session_get_nth_pset(*session, nullptr, 0, length, few);
    expect(std::string(few) == "mpi" && length == 12, "what fits, and what would be needed");
    session_finalize(session);
    expect(session == nullptr, "the handle is null");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("A session says which level of threads it has, and keeps its hints") {
  const auto record = run(1, [](int) {
    Info* info = nullptr;
    info_create(info);
    info_set(info, "my_hint", "yes");
    Session* session = nullptr;
    session_init(info, errors_return(), session);
    Info* used = nullptr;
    session_get_info(*session, used);
    expect(used->find("my_hint") != nullptr && *used->find("thread_level") == "MPI_THREAD_SINGLE", "hints");
    session_finalize(session);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Buffered sends on communicators of a session use the session's buffer") {
  const auto record = run(1, [](int) {
    Session* session = nullptr;
    session_init(nullptr, errors_return(), session);
    Group *world = nullptr, *part = nullptr;
    group_from_session_pset(*session, "mpi://world", world);
    const int first = 0;
    group_incl(*world, 1, &first, part);
    Comm *comm = nullptr, *copy = nullptr;
    comm_create_from_group(*part, "of a part", nullptr, errors_return(), comm);
    comm_dup(*comm, copy);
    char memory[64];
    session_attach_buffer(*session, memory, sizeof memory);
    expect(&buffer_of(*comm) == session->buffer.get() && &buffer_of(*copy) == session->buffer.get(), "the session's");
    expect(&buffer_of(comm_world()) != session->buffer.get(), "not that of others");
    void* address = nullptr;
    std::int64_t size = 0;
    session_detach_buffer(*session, &address, size);
    expect(address == memory && size == sizeof memory, "detached");
  });
  CHECK(record.all_ended_well());
}
