// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/buffered.hpp"

#include <array>
#include <vector>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

constexpr std::int64_t bytes_of_int = 4;

void send_and_receive_one() {
  int value = 1;
  bsend(&value, 1, int_type(), 0, 0, comm_world());
  recv(&value, 1, int_type(), 0, 0, comm_world(), nullptr);
}

/// Tests find nothing complete.
op::Reply nothing_left(int rank, const Sent& sent) {
  return sent.operation.kind == Kind::TestSome ? op::Reply{} : all_complete(rank, sent);
}

}  // namespace

TEST_CASE("a buffer that messages have not left is full, which the kernel is asked about only then") {
  std::array<std::byte, 2 * bytes_of_int> room;
  const auto body = [&](int) {
    buffer_attach(room.data(), room.size());
    send_and_receive_one();
    send_and_receive_one();
    int value = 1;
    const int error = error_of([&] { bsend(&value, 1, int_type(), 0, 0, comm_world()); });
    expect(error == err_buffer, "no room for a third");
  };
  const RunRecord record = run(1, body, nothing_left);
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) == std::vector{Kind::Isend, Kind::Irecv, Kind::Isend, Kind::Irecv, Kind::TestSome});
  CHECK(record.sent[0].at(4).requests.size() == 2);
}

TEST_CASE("messages that have left make room for others") {
  std::array<std::byte, bytes_of_int> room;
  const RunRecord record = run(1, [&](int) {
    buffer_attach(room.data(), room.size());
    for (int i = 0; i < 3; ++i) send_and_receive_one();
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("who detaches or flushes a buffer waits until it is empty") {
  std::array<std::byte, 64> room;
  const RunRecord record = run(1, [&](int) {
    buffer_attach(room.data(), room.size());
    send_and_receive_one();
    buffer_flush();
    buffer_flush();
    send_and_receive_one();
    void* back = nullptr;
    std::int64_t size = 0;
    buffer_detach(&back, size);
    expect(back == room.data() && size == 64, "it comes back");
    buffer_detach(&back, size);
    expect(back == nullptr && size == 0, "there is none");
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) ==
        std::vector{Kind::Isend, Kind::Irecv, Kind::WaitAll, Kind::Isend, Kind::Irecv, Kind::WaitAll});
}

TEST_CASE("an immediate flush is a request for all messages under way") {
  std::array<std::byte, 64> room;
  const RunRecord record = run(1, [&](int) {
    buffer_attach(room.data(), room.size());
    send_and_receive_one();
    send_and_receive_one();
    Request* request = nullptr;
    buffer_iflush(request);
    wait(request, nullptr);
    buffer_iflush(request);  // nothing is under way: complete without the kernel
    wait(request, nullptr);
  });
  REQUIRE(record.all_ended_well());
  const Sent& join = record.sent[0].at(4);
  CHECK(join.operation.kind == Kind::Join);
  CHECK(join.requests.size() == 2);
  CHECK(record.sent[0].at(5).operation.kind == Kind::WaitAll);
  CHECK(record.kinds(0).size() == 6);
}

TEST_CASE("a communicator's own buffer comes before that of the rank") {
  std::array<std::byte, 64> room;
  const RunRecord record = run(1, [&](int) {
    Comm* copy = nullptr;
    comm_dup(comm_world(), copy);
    int value = 5;
    comm_attach_buffer(*copy, room.data(), room.size());
    bsend(&value, 1, int_type(), 0, 0, *copy);
    recv(&value, 1, int_type(), 0, 0, *copy, nullptr);
    expect(error_of([&] { bsend(&value, 1, int_type(), 0, 0, comm_world()); }) == err_buffer, "others have none");
    void* back = nullptr;
    std::int64_t size = 0;
    comm_detach_buffer(*copy, &back, size);
    expect(back == room.data(), "it comes back");
    expect(error_of([&] { bsend(&value, 1, int_type(), 0, 0, *copy); }) == err_buffer, "now none");
  });
  CHECK(record.all_ended_well());
}
