// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/probe.hpp"

#include <array>

#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

/// Probes find the second message of rank 1, of 8 bytes with tag 6.
op::Reply find_second(int rank, const Sent& sent) {
  if (!sent.requests.empty()) return all_complete(rank, sent);
  return {.flag = true, .source = 1, .tag = 6, .sequence = 1, .bytes = {8}};
}

void send_two() {
  const std::array<int, 2> first{1, 1}, second{2, 2};
  send(first.data(), 2, int_type(), 0, 6, comm_world());
  send(second.data(), 2, int_type(), 0, 6, comm_world());
}

}  // namespace

TEST_CASE("a probe says what the kernel says") {
  const RunRecord record = run(
      2,
      [](int rank) {
        if (rank == 1) return;
        Status status;
        probe(any_source, any_tag, comm_world(), &status);
        expect(status.source == 1 && status.tag == 6 && status.bytes == 8, "probe");
        bool flag = false;
        iprobe(1, 6, comm_world(), flag, &status);
        expect(flag, "iprobe");
      },
      find_second);
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) == std::vector{Kind::Probe, Kind::Iprobe});
}

TEST_CASE("a probe that finds nothing says so") {
  const RunRecord record = run(
      1,
      [](int) {
        bool flag = true;
        iprobe(any_source, any_tag, comm_world(), flag, nullptr);
        expect(!flag, "iprobe");
        MatchedMessage* message = message_no_proc();
        flag = true;
        improbe(any_source, any_tag, comm_world(), flag, message, nullptr);
        expect(!flag && message == nullptr, "improbe");
      },
      [](int, const Sent&) { return op::Reply{}; });
  CHECK(record.all_ended_well());
}

TEST_CASE("a matched probe takes its message out of the queue") {
  const RunRecord record = run(
      2,
      [](int rank) {
        if (rank == 1) return send_two();
        MatchedMessage* message = nullptr;
        Status status;
        mprobe(any_source, any_tag, comm_world(), message, &status);
        expect(status.bytes == 8, "status of the probe");
        std::array<int, 2> taken{}, left{};
        recv(left.data(), 2, int_type(), 1, 6, comm_world(), nullptr);
        expect(left == std::array{1, 1}, "a receive gets the other");
        mrecv(taken.data(), 2, int_type(), message, &status);
        expect(taken == std::array{2, 2} && message == nullptr, "the one that was taken");
        expect(status.source == 1 && status.tag == 6 && status.bytes == 8, "status");
      },
      find_second);
  REQUIRE(record.all_ended_well());
  REQUIRE(record.kinds(0) == std::vector{Kind::Probe, Kind::Irecv, Kind::Irecv, Kind::WaitAll});
  CHECK(record.sent[0][0].operation.has(op::Take));
  const op::Operation& matched = record.sent[0][2].operation;
  CHECK(matched.has(op::Take));
  CHECK(matched.peer == 1);
  CHECK(matched.element == 1);  // the number of the message
}

TEST_CASE("a receive does not get the message that a probe took before it") {
  const RunRecord record = run(
      2,
      [](int rank) {
        if (rank == 1) return send_two();
        MatchedMessage* message = nullptr;
        mprobe(1, 6, comm_world(), message, nullptr);
        std::array<int, 2> taken{}, left{};
        recv(left.data(), 2, int_type(), 1, 6, comm_world(), nullptr);
        expect(left == std::array{2, 2}, "the second");
        mrecv(taken.data(), 2, int_type(), message, nullptr);
        expect(taken == std::array{1, 1}, "the first");
      },
      [](int rank, const Sent& sent) {
        if (!sent.requests.empty()) return all_complete(rank, sent);
        return op::Reply{.flag = true, .source = 1, .tag = 6, .sequence = 0, .bytes = {8}};
      });
  CHECK(record.all_ended_well());
}

TEST_CASE("a matched receive can be immediate, and too small") {
  const RunRecord record = run(
      2,
      [](int rank) {
        if (rank == 1) return send_two();
        MatchedMessage* message = nullptr;
        bool flag = false;
        improbe(1, 6, comm_world(), flag, message, nullptr);
        int value = 0;
        Request* request = nullptr;
        imrecv(&value, 1, int_type(), message, request);
        expect(error_of([&] { wait(request, nullptr); }) == err_truncate, "8 bytes into 4");
        expect(value == 2, "what fits");
      },
      find_second);
  CHECK(record.all_ended_well());
}

TEST_CASE("probes of PROC_NULL need no kernel") {
  const RunRecord record = run(1, [](int) {
    Status status;
    bool flag = false;
    probe(proc_null, 0, comm_world(), &status);
    iprobe(proc_null, 0, comm_world(), flag, &status);
    expect(flag && status.source == proc_null && status.tag == any_tag && status.bytes == 0, "status");
    MatchedMessage* message = nullptr;
    mprobe(proc_null, 0, comm_world(), message, &status);
    expect(message == message_no_proc(), "MPI_MESSAGE_NO_PROC");
    int value = 7;
    status = {};
    mrecv(&value, 1, int_type(), message, &status);
    expect(value == 7 && message == nullptr && status.source == proc_null, "receive");
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}
