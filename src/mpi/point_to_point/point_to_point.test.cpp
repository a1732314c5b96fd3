// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/point_to_point.hpp"

#include <array>
#include <vector>

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

/// All operations of a run with one rank, which may send to itself.
RunRecord alone(const std::function<void()>& body, const Answers& answers = all_complete) {
  return run(
      1, [&](int) { body(); }, answers);
}

std::string text_of_error(const std::function<void()>& call) {
  std::string text;
  error_of(call, &text);
  return text;
}

}  // namespace

TEST_CASE("a blocking send and a blocking receive are one operation each") {
  const RunRecord record = run(2, [](int rank) {
    std::array<int, 3> data{rank, rank, rank};
    if (rank == 0) {
      send(data.data(), 3, int_type(), 1, 17, comm_world());
    } else {
      Status status;
      recv(data.data(), 3, int_type(), 0, any_tag, comm_world(), &status);
      expect(data == std::array{0, 0, 0}, "data");
      expect(status.source == 0 && status.tag == 17 && status.bytes == 12, "status");
    }
  });
  REQUIRE(record.all_ended_well());
  REQUIRE(record.kinds(0) == std::vector{Kind::Isend});
  const op::Operation& sent = record.sent[0][0].operation;
  CHECK(sent.flags == op::Blocking);
  CHECK(sent.peer == 1);
  CHECK(sent.tag == 17);
  CHECK(sent.bytes.count == 12);
  REQUIRE(record.kinds(1) == std::vector{Kind::Irecv});
  const op::Operation& received = record.sent[1][0].operation;
  CHECK(received.flags == op::Blocking);
  CHECK(received.peer == 0);
  CHECK(received.tag == op::any_tag);
}

TEST_CASE("the first operation of a call carries its routine, and only that one counts the call") {
  const RunRecord record = alone([] {
    const Call call(42);
    int out = 1, in = 0;
    sendrecv(&out, 1, int_type(), 0, 1, &in, 1, int_type(), 0, 1, comm_world(), nullptr);
  });
  REQUIRE(record.kinds(0) == std::vector{Kind::Irecv, Kind::Isend, Kind::WaitAll});
  for (int i = 0; i < 3; ++i) CHECK(record.sent[0][i].operation.routine == 42);
  CHECK(record.sent[0][0].operation.has(op::FirstOfCall));
  CHECK_FALSE(record.sent[0][1].operation.has(op::FirstOfCall));
  CHECK_FALSE(record.sent[0][2].operation.has(op::FirstOfCall));
}

TEST_CASE("a combined send and receive starts the receive first and waits for both") {
  const RunRecord record = run(3, [](int rank) {
    const int right = (rank + 1) % 3, left = (rank + 2) % 3;
    int out = 100 + rank, in = -1;
    Status status;
    sendrecv(&out, 1, int_type(), right, 5, &in, 1, int_type(), left, 5, comm_world(), &status);
    expect(in == 100 + left, "data");
    expect(status.source == left && status.tag == 5 && status.bytes == 4, "status");
    sendrecv_replace(&in, 1, int_type(), left, 6, right, 6, comm_world(), &status);
    expect(in == out, "the value that came from the left has gone back");
  });
  REQUIRE(record.all_ended_well());
  const std::vector once{Kind::Irecv, Kind::Isend, Kind::WaitAll};
  for (int rank = 0; rank < 3; ++rank) {
    const auto kinds = record.kinds(rank);
    REQUIRE(kinds.size() == 6);
    CHECK(std::equal(once.begin(), once.end(), kinds.begin()));
    const auto& sent = record.sent[static_cast<std::size_t>(rank)];
    CHECK(sent[2].requests == std::vector{sent[0].operation.request, sent[1].operation.request});
  }
}

TEST_CASE("nothing is said of messages to and from PROC_NULL") {
  const RunRecord record = alone([] {
    int value = 5;
    Status status{.source = 3, .tag = 3, .bytes = 3};
    send(&value, 1, int_type(), proc_null, 0, comm_world());
    recv(&value, 1, int_type(), proc_null, 0, comm_world(), &status);
    expect(value == 5, "the buffer is untouched");
    // MPI-4.1, section 3.10.
    expect(status.source == proc_null && status.tag == any_tag && status.bytes == 0, "status");
    Request* requests[2];
    isend(&value, 1, int_type(), proc_null, 0, comm_world(), requests[0]);
    irecv(&value, 1, int_type(), proc_null, 0, comm_world(), requests[1]);
    waitall(requests, nullptr);
    expect(requests[0] == nullptr && requests[1] == nullptr, "requests are gone");
    sendrecv(&value, 1, int_type(), proc_null, 0, &value, 1, int_type(), proc_null, 0, comm_world(), &status);
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

TEST_CASE("the number of a message counts all sends of its source, whoever receives them") {
  // Rank 0 takes what rank 1 sent third: the first went to rank 2, the second has another tag.
  const Answers third = [](int, const Sent&) -> op::Reply { return {.source = 1, .tag = 8, .sequence = 2}; };
  const RunRecord record = run(
      3,
      [](int rank) {
        int value = 10 * rank;
        if (rank == 1) {
          send(&value, 1, int_type(), 2, 0, comm_world());
          send(&value, 1, int_type(), 0, 7, comm_world());
          send(&(value = 55), 1, int_type(), 0, 8, comm_world());
        } else if (rank == 2) {
          recv(&value, 1, int_type(), 1, 0, comm_world(), nullptr);
        } else {
          Status status;
          recv(&value, 1, int_type(), any_source, any_tag, comm_world(), &status);
          expect(value == 55, "data");
          expect(status.source == 1 && status.tag == 8, "status");
          recv(&value, 1, int_type(), 1, 7, comm_world(), nullptr);
          expect(value == 10, "the other message is still there");
        }
      },
      third);
  REQUIRE(record.all_ended_well());
  CHECK(record.sent[0][0].operation.flags == (op::Blocking | op::WantsMatch));
  CHECK(record.sent[0][0].operation.peer == op::any_source);
  CHECK(record.sent[0][1].operation.flags == op::Blocking);
}

TEST_CASE("modes of sends reach the kernel") {
  const RunRecord record = alone([] {
    int value = 1;
    std::array<std::byte, 64> room;
    void* detached = nullptr;
    std::int64_t size = 0;
    buffer_attach(room.data(), 64);
    ssend(&value, 1, int_type(), 0, 0, comm_world());
    rsend(&value, 1, int_type(), 0, 0, comm_world());
    bsend(&value, 1, int_type(), 0, 0, comm_world());
    buffer_detach(&detached, size);
    expect(detached == room.data() && size == 64, "the buffer comes back");
    for (int i = 0; i < 3; ++i) recv(&value, 1, int_type(), 0, 0, comm_world(), nullptr);
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.sent[0][0].operation.mode == op::Mode::Synchronous);
  CHECK(record.sent[0][1].operation.mode == op::Mode::Ready);
  CHECK(record.sent[0][2].operation.mode == op::Mode::Buffered);
}

TEST_CASE("a buffered send of any size returns before it is received") {
  const RunRecord record = alone([] {
    std::vector<int> data(500'000, 4), got(500'000);
    std::vector<std::byte> room(3'000'000);
    buffer_attach(room.data(), static_cast<std::int64_t>(room.size()));
    bsend(data.data(), 500'000, int_type(), 0, 0, comm_world());
    data.assign(500'000, 0);
    recv(got.data(), 500'000, int_type(), 0, 0, comm_world(), nullptr);
    expect(got == std::vector<int>(500'000, 4), "the bytes were copied");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a buffered send needs a buffer that holds it") {
  const RunRecord record = alone([] {
    std::array<int, 4> data{};
    const auto try_it = [&] { bsend(data.data(), 4, int_type(), 0, 0, comm_world()); };
    expect(error_of(try_it) == err_buffer, "without a buffer");
    std::array<std::byte, 8> room;
    buffer_attach(room.data(), 8);
    expect(error_of(try_it) == err_buffer, "too small");
    expect(text_of_error(try_it).find("16 bytes") != std::string::npos, "names the size");
    expect(error_of([&] { buffer_attach(room.data(), 8); }) == err_buffer, "two buffers");
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

TEST_CASE("wrong arguments are named with their value, and nothing is sent") {
  const RunRecord record = run(2, [](int) {
    int value = 0;
    Comm& world = comm_world();
    const auto check = [](int expected, const std::string& part, const std::function<void()>& call) {
      std::string text;
      expect(error_of(call, &text) == expected, "class for: " + part);
      expect(text.find(part) != std::string::npos, text + " lacks: " + part);
    };
    check(err_rank, "dest is 2", [&] { send(&value, 1, int_type(), 2, 0, world); });
    check(err_rank, "dest is -1", [&] { send(&value, 1, int_type(), any_source, 0, world); });
    check(err_rank, "source is -7", [&] { recv(&value, 1, int_type(), -7, 0, world, nullptr); });
    check(err_tag, "tag is -2", [&] { send(&value, 1, int_type(), 0, any_tag, world); });
    check(err_tag, "tag is 1073741824", [&] { send(&value, 1, int_type(), 0, tag_upper_bound + 1, world); });
    check(err_count, "count is -3", [&] { recv(&value, -3, int_type(), 0, 0, world, nullptr); });
    check(err_buffer, "null pointer", [&] { send(nullptr, 1, int_type(), 0, 0, world); });
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

TEST_CASE("a message that is too long is an error of the receive, and the status says what came") {
  const RunRecord record = run(2, [](int rank) {
    std::array<int, 4> data{1, 2, 3, 4};
    if (rank == 0) return send(data.data(), 4, int_type(), 1, 3, comm_world());
    std::array<int, 4> got{-1, -1, -1, -1};
    Status status;
    std::string text;
    const int error = error_of([&] { recv(got.data(), 2, int_type(), 0, 3, comm_world(), &status); }, &text);
    expect(error == err_truncate, "class");
    expect(text.find("16 bytes from rank 0 with tag 3") != std::string::npos, text);
    expect(got == std::array{1, 2, -1, -1}, "nothing beyond the buffer is written");
    expect(status.source == 0 && status.bytes == 8, "status");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("ranks of a communicator are translated both ways") {
  const RunRecord record = run(3, [](int rank) {
    Comm* reversed = make_comm(0, {2, 1, 0}, 2 - rank);
    int value = rank;
    Status status;
    if (rank == 2) send(&value, 1, int_type(), 2, 0, *reversed);  // world rank 0
    if (rank == 0) {
      recv(&value, 1, int_type(), 0, 0, *reversed, &status);
      expect(value == 2 && status.source == 0, "the sender is rank 0 of the communicator");
    }
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.sent[2][0].operation.peer == 0);
  CHECK(record.sent[0][0].operation.peer == 2);
}
