// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>
#include <thread>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::expect;
using testing::int_type;
using testing::run;

namespace {

constexpr op::RoutineId some_routine = 3;

void allow_threads() {
  const Call call(some_routine);
  this_rank().allow_threads();
}

void send_number(int number, int tag) {
  const Call call(some_routine);
  send(&number, 1, int_type(), this_rank().world_rank(), tag, comm_world());
}

int receive_number(int source, int tag) {
  const Call call(some_routine);
  int number = -1;
  recv(&number, 1, int_type(), source, tag, comm_world(), nullptr);
  return number;
}

bool is_apart(const testing::Sent& sent) { return op::is_apart(sent.operation); }

}  // namespace

TEST_CASE("threads receive what others of the same rank send, while all of them wait") {
  const auto record = run(1, [](int) {
    allow_threads();
    std::vector<std::thread> threads;
    for (int tag = 0; tag < 8; ++tag) {
      threads.emplace_back([tag] {
        for (int turn = 0; turn < 20; ++turn) expect(receive_number(0, tag) == 100 * tag + turn, "the number");
      });
    }
    for (int turn = 0; turn < 20; ++turn) {
      for (int tag = 0; tag < 8; ++tag) send_number(100 * tag + turn, tag);
    }
    for (auto& thread : threads) thread.join();
  });
  REQUIRE(record.all_ended_well());
  // Every blocking call is one of a thread, under a number that no other has at the same time.
  CHECK(std::ranges::count_if(record.sent[0], is_apart) == 2 * 8 * 20);
  for (const auto& sent : record.sent[0]) CHECK((!is_apart(sent) || sent.operation.request > 0));
}

TEST_CASE("as long as a rank has one thread its operations are those of a program without threads") {
  const auto record = run(1, [](int) {
    allow_threads();
    send_number(42, 1);
    expect(receive_number(0, 1) == 42, "the number");
  });
  REQUIRE(record.all_ended_well());
  CHECK(std::ranges::count_if(record.sent[0], is_apart) == 0);
}

TEST_CASE("numbers of requests are used again only when the kernel knows that they are free") {
  const auto record = run(1, [](int) {
    allow_threads();
    std::thread other([] {
      for (int turn = 0; turn < 50; ++turn) expect(receive_number(0, 1) == turn, "the number");
    });
    for (int turn = 0; turn < 50; ++turn) {
      const Call call(some_routine);
      Request* request = nullptr;
      isend(&turn, 1, int_type(), 0, 1, comm_world(), request);
      wait(request, nullptr);
    }
    other.join();
  });
  REQUIRE(record.all_ended_well());
  std::set<op::RequestId> active;
  for (const auto& sent : record.sent[0]) {
    if (sent.operation.kind == op::Kind::Isend && !is_apart(sent)) CHECK(active.insert(sent.operation.request).second);
    for (const op::RequestId id : sent.requests) active.erase(id);
  }
}
