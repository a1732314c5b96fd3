// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/window.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "catch.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

/// A window of this memory in MPI_COMM_WORLD, with displacements in ints.
template <class Memory>
Window* window_of(Memory& memory) {
  Window* window = nullptr;
  win_create(memory.data(), sizeof memory, sizeof(int), nullptr, comm_world(), window);
  return window;
}

/// What a rank told the kernel of one-sided operations and locks.
std::vector<op::Operation> accesses(const RunRecord& record, int rank) {
  std::vector<op::Operation> found;
  for (const Sent& sent : record.sent[static_cast<std::size_t>(rank)]) {
    const Kind kind = sent.operation.kind;
    if (op::is_one_sided(kind) || kind == Kind::Lock || kind == Kind::Unlock) found.push_back(sent.operation);
  }
  return found;
}

}  // namespace

TEST_CASE("a window for which no error handler was set has that of MPI_COMM_WORLD") {
  const RunRecord record = run(1, [](int) {
    std::array<int, 1> memory{};
    Window* window = window_of(memory);
    comm_set_errhandler(comm_world(), errors_return());
    expect(raise(window, nullptr, {err_keyval, "of a communicator"}, "MPI_Win_set_attr") == err_keyval, "returned");
    Errhandler* own = nullptr;
    win_get_errhandler(*window, own);
    expect(own == &errors_are_fatal(), "its own is still the default");
    win_free(window);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("what was put and accumulated lies at the target when the fence is over, gaps left alone") {
  const RunRecord record = run(2, [](int rank) {
    std::array<int, 6> memory{0, 1, 2, 3, 4, 5};
    const std::array<int, 3> data{10, 20, 30};
    Datatype* every_other = nullptr;
    type_vector(3, 1, 2, int_type(), every_other);
    type_commit(every_other);
    Window* window = window_of(memory);
    win_fence(0, *window);
    if (rank == 0) put(data.data(), 3, int_type(), 1, 0, 1, *every_other, *window);
    win_fence(0, *window);
    if (rank == 1) expect(memory == std::array{10, 1, 20, 3, 30, 5}, "put");
    if (rank == 1) accumulate(data.data(), 3, int_type(), 0, 0, 1, *every_other, sum_op(), *window);
    win_fence(0, *window);
    if (rank == 0) expect(memory == std::array{10, 1, 22, 3, 34, 5}, "accumulate");
    win_free(window);
    type_free(every_other);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a get fetches from private memory, memory of the library, and one's own") {
  const RunRecord record = run(2, [](int rank) {
    std::array<int, 2> memory{rank, rank + 10};
    Window* own = window_of(memory);
    Window* allocated = nullptr;
    int* base = nullptr;
    win_allocate(8, 4, nullptr, comm_world(), &base, allocated);
    base[1] = rank + 20;
    for (Window* window : {own, allocated}) {
      win_fence(0, *window);
      std::array<int, 2> got{-1, -1};
      get(&got[0], 1, int_type(), 1 - rank, 1, 1, int_type(), *window);
      get(&got[1], 1, int_type(), rank, 1, 1, int_type(), *window);
      win_fence(0, *window);
      const int first = window == own ? 10 : 20;
      expect(got == std::array{first + 1 - rank, first + rank}, "got");
    }
    win_free(allocated);
    win_free(own);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a fetch gives each rank what was there when its turn came") {
  const RunRecord record = run(4, [](int rank) {
    std::array<int, 5> memory{};
    Window* window = window_of(memory);
    const int increment = 1, self = rank + 1;
    int ticket = -1;
    win_lock_all(0, *window);
    fetch_and_op(&increment, &ticket, int_type(), 0, 0, sum_op(), *window);
    win_flush(0, *window);
    expect(ticket >= 0 && ticket < 4, "ticket");
    put(&self, 1, int_type(), 0, 1 + ticket, 1, int_type(), *window);
    win_unlock_all(*window);
    win_fence(0, *window);
    std::sort(memory.begin() + 1, memory.end());
    if (rank == 0) expect(memory == std::array{4, 1, 2, 3, 4}, "each ticket has one owner");
    win_free(window);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("the kernel gives accumulates their order, but under an exclusive lock there is but one") {
  const RunRecord record = run(1, [](int) {
    std::array<int, 1> memory{1};
    const int two = 2;
    Window* window = window_of(memory);
    win_lock(lock_shared, 0, 0, *window);
    accumulate(&two, 1, int_type(), 0, 0, 1, int_type(), sum_op(), *window);
    win_unlock(0, *window);
    expect(memory[0] == 3, "shared");
    win_lock(lock_exclusive, 0, 0, *window);
    accumulate(&two, 1, int_type(), 0, 0, 1, int_type(), sum_op(), *window);
    expect(memory[0] == 5, "at once");
    win_unlock(0, *window);
    win_free(window);
  });
  REQUIRE(record.all_ended_well());
  const std::vector<op::Operation> told = accesses(record, 0);
  REQUIRE(told.size() == 6);
  CHECK(told[0].kind == Kind::Lock);
  CHECK(!told[0].has(op::Exclusive));
  CHECK(told[1].kind == Kind::Accumulate);
  CHECK(told[1].bytes.count == 4);
  CHECK(told[1].element != 0);
  CHECK(told[2].kind == Kind::Unlock);
  CHECK(told[3].has(op::Exclusive));
  CHECK(told[4].element == 0);
}

TEST_CASE("parts of a shared window lie one behind the other, and none shares a line if the program says so") {
  const RunRecord record = run(3, [](int rank) {
    for (const bool apart : {false, true}) {
      Info* info = nullptr;
      info_create(info);
      info_set(info, "alloc_shared_noncontig", apart ? "true" : "false");
      Window* window = nullptr;
      char* base = nullptr;
      win_allocate_shared(rank == 1 ? 0 : 12, 4, info, comm_world(), &base, window);
      if (rank != 1) base[0] = static_cast<char>('a' + rank);
      win_fence(0, *window);
      std::int64_t size = 0, unit = 0;
      char *first = nullptr, *none = nullptr, *last = nullptr;
      win_shared_query(*window, proc_null, size, unit, &first);
      expect(size == 12 && unit == 4 && first[0] == 'a', "the first");
      win_shared_query(*window, 1, size, unit, &none);
      expect(size == 0 && none == nullptr, "one without memory");
      win_shared_query(*window, 2, size, unit, &last);
      expect(last[0] == 'c' && last - first == (apart ? 64 : 12), "the last");
      win_fence(0, *window);
      win_free(window);
      info_free(info);
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("post, start, complete and wait need each other") {
  const RunRecord record = run(2, [](int rank) {
    std::array<int, 1> memory{7};
    Window* window = window_of(memory);
    const int other = 1 - rank, value = 8;
    Group *world = nullptr, *peer = nullptr;
    comm_group(comm_world(), world);
    group_incl(*world, 1, &other, peer);
    expect(error_of([&] { win_complete(*window); }) == err_rma_sync, "complete without start");
    expect(error_of([&] { win_wait(*window); }) == err_rma_sync, "wait without post");
    if (rank == 0) {
      win_start(*peer, 0, *window);
      expect(error_of([&] { put(&value, 1, int_type(), 0, 0, 1, int_type(), *window); }) == err_rma_sync, "not named");
      put(&value, 1, int_type(), 1, 0, 1, int_type(), *window);
      win_complete(*window);
    } else {
      win_post(*peer, 0, *window);
      expect(error_of([&] { win_free(window); }) == err_rma_sync, "freed while exposed");
      win_wait(*window);
      expect(memory[0] == 8, "put");
    }
    win_free(window);
    group_free(peer);
    group_free(world);
  });
  CHECK(record.all_ended_well());
}
