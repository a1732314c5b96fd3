// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned/partitioned.hpp"

#include <array>
#include <numeric>
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

constexpr int parts = 4;
constexpr int part_size = 5;

std::vector<int> numbers() {
  std::vector<int> values(parts * part_size);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

}  // namespace

TEST_CASE("partitions arrive where they belong, in whatever order they are ready") {
  const RunRecord record = run(2, [](int rank) {
    Request* request = nullptr;
    if (rank == 0) {
      std::vector<int> values = numbers();
      psend_init(values.data(), parts, part_size, int_type(), 1, 7, comm_world(), nullptr, request);
      start(request);
      pready(2, request);
      pready_range(0, 1, request);
      const std::array last{3};
      pready_list(1, last.data(), request);
      wait(request, nullptr);
    } else {
      std::vector<int> got(parts * part_size);
      precv_init(got.data(), parts, part_size, int_type(), 0, 7, comm_world(), nullptr, request);
      start(request);
      Status status;
      wait(request, &status);
      expect(got == numbers() && status.source == 0 && status.tag == 7 && status.bytes == 80, "data and status");
    }
    expect(request != nullptr && !request->active, "persistent");
    request_free(request);
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) == std::vector{Kind::Join, Kind::Psend, Kind::Psend, Kind::Psend, Kind::Psend, Kind::WaitAll});
  CHECK(record.sent[0][0].operation.bytes.count == parts);
  CHECK(record.sent[0][1].operation.element == 2);
  CHECK(record.sent[0][1].operation.bytes.count == part_size * 4);
  CHECK(record.kinds(1) == std::vector{Kind::Precv, Kind::WaitAll});
  CHECK(record.sent[1][0].operation.bytes.count == parts * part_size * 4);
}

TEST_CASE("both sides may divide the same bytes differently, and start again and again") {
  const RunRecord record = run(2, [](int rank) {
    Request* request = nullptr;
    std::vector<int> values(24), got(24);
    if (rank == 0) psend_init(values.data(), 6, 4, int_type(), 1, 0, comm_world(), nullptr, request);
    if (rank == 1) precv_init(got.data(), 2, 12, int_type(), 0, 0, comm_world(), nullptr, request);
    for (int round = 0; round < 20; ++round) {
      std::iota(values.begin(), values.end(), round);
      start(request);
      if (rank == 0) pready_range(0, 5, request);
      if (rank == 1) {
        bool flag = false;
        parrived(request, 1, flag);
        expect(flag, "the kernel says so");
        expect(std::equal(got.begin() + 12, got.end(), values.begin() + 12), "then its data are there");
      }
      wait(request, nullptr);
      if (rank == 1) expect(got == values, "data of this round");
    }
    request_free(request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("partitions that the sender keeps until they are fetched, into a type with gaps") {
  const RunRecord record = run(2, [](int rank) {
    constexpr int count = 50'000;
    Request* request = nullptr;
    if (rank == 0) {
      std::vector<int> values(3 * count, 9);
      psend_init(values.data(), 3, count, int_type(), 1, 0, comm_world(), nullptr, request);
      start(request);
      pready_range(0, 2, request);
      wait(request, nullptr);
    } else {
      Datatype* every_other = nullptr;
      type_create_resized(int_type(), 0, 8, every_other);
      type_commit(every_other);
      std::vector<int> got(6 * count, 1);
      precv_init(got.data(), 3, count, *every_other, 0, 0, comm_world(), nullptr, request);
      start(request);
      wait(request, nullptr);
      for (std::size_t i = 0; i < got.size(); ++i) expect(got[i] == (i % 2 == 0 ? 9 : 1), "data, and gaps left alone");
      type_free(every_other);
    }
    request_free(request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a sender may be thousands of pairs, or of starts, ahead of its receiver") {
  constexpr int messages = 5000;
  const bool again = GENERATE(false, true);  // one pair that is started again, or a new one for each message
  const RunRecord record = run(2, [again](int rank) {
    int value = 0;
    Request* request = nullptr;
    const auto make = [&] {
      if (rank == 0) psend_init(&value, 1, 1, int_type(), 1, 0, comm_world(), nullptr, request);
      if (rank == 1) precv_init(&value, 1, 1, int_type(), 0, 0, comm_world(), nullptr, request);
    };
    if (again) make();
    if (rank == 1) {  // the last of them comes first
      int last = 0;
      recv(&last, 1, int_type(), 0, 1, comm_world(), nullptr);
    }
    for (int i = 0; i < messages; ++i) {
      if (!again) make();
      value = rank == 0 ? i : -1;
      start(request);
      if (rank == 0) pready(0, request);
      wait(request, nullptr);
      expect(value == i, "the message of this turn");
      if (!again) request_free(request);
    }
    if (again) request_free(request);
    if (rank == 0) send(&value, 1, int_type(), 1, 1, comm_world());
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a receive may have room for more than is sent, and the send may end inside of one of its partitions") {
  const RunRecord record = run(2, [](int rank) {
    Request* request = nullptr;
    Datatype* every_other = nullptr;
    type_create_resized(int_type(), 0, 8, every_other);
    type_commit(every_other);
    std::vector<int> values{1, 2, 3, 4, 5, 6}, got(20);
    if (rank == 0) psend_init(values.data(), 3, 2, int_type(), 1, 0, comm_world(), nullptr, request);
    if (rank == 1) precv_init(got.data(), 2, 5, *every_other, 0, 0, comm_world(), nullptr, request);
    for (int round = 0; round < 2; ++round) {
      std::fill(got.begin(), got.end(), 0);
      start(request);
      if (rank == 0) pready_range(0, 2, request);
      Status status;
      wait(request, &status);
      if (rank == 0) continue;
      expect(status.bytes == 24, "six numbers");
      expect(got == std::vector<int>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "and no others");
    }
    request_free(request);
    type_free(every_other);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a send that is longer than its receive is an error, and the next start is right again") {
  const RunRecord record = run(2, [](int rank) {
    std::array values{1, 2, 3};
    Request* request = nullptr;
    if (rank == 0) psend_init(values.data(), 3, 1, int_type(), 1, 0, comm_world(), nullptr, request);
    if (rank == 1) precv_init(values.data(), 2, 1, int_type(), 0, 0, comm_world(), nullptr, request);
    for (int round = 0; round < 3; ++round) {
      if (rank == 0) values = {round, 10 + round, 20 + round};
      start(request);
      if (rank == 0) pready_range(0, 2, request);
      const int error = error_of([&] { wait(request, nullptr); });
      expect(error == (rank == 0 ? 0 : err_truncate), "the receiver is told");
      expect(values[0] == round && values[1] == 10 + round, "the first two of this round");
    }
    request_free(request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("communication with nobody is complete at once") {
  const RunRecord record = run(1, [](int) {
    int value = 0;
    Request* request = nullptr;
    psend_init(&value, 1, 1, int_type(), proc_null, 0, comm_world(), nullptr, request);
    start(request);
    pready(0, request);
    wait(request, nullptr);
    request_free(request);
    precv_init(&value, 1, 1, int_type(), proc_null, 0, comm_world(), nullptr, request);
    start(request);
    bool flag = false;
    parrived(request, 0, flag);
    expect(flag, "nothing is there");
    wait(request, nullptr);
    request_free(request);
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

TEST_CASE("partitions without bytes are one message, which the receive waits for") {
  const RunRecord record = run(2, [](int rank) {
    int value = 0;
    Request* request = nullptr;
    if (rank == 0) psend_init(&value, 3, 0, int_type(), 1, 0, comm_world(), nullptr, request);
    if (rank == 1) precv_init(&value, 2, 0, int_type(), 0, 0, comm_world(), nullptr, request);
    start(request);
    if (rank == 0) pready_range(0, 2, request);
    wait(request, nullptr);
    request_free(request);
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) == std::vector{Kind::Join, Kind::Psend, Kind::WaitAll});
  CHECK(record.kinds(1) == std::vector{Kind::Precv, Kind::WaitAll});
}

TEST_CASE("what is wrong with a partition is said") {
  const RunRecord record = run(1, [](int) {
    int value = 0;
    Request* request = nullptr;
    expect(error_of([&] { psend_init(&value, 0, 1, int_type(), 0, 0, comm_world(), nullptr, request); }) == err_arg,
           "no partitions");
    expect(error_of([&] { precv_init(&value, 1, 1, int_type(), any_source, 0, comm_world(), nullptr, request); }) ==
               err_rank,
           "no wildcards");
    psend_init(&value, 1, 1, int_type(), proc_null, 0, comm_world(), nullptr, request);
    expect(error_of([&] { pready(0, request); }) == err_request, "not started");
    start(request);
    expect(error_of([&] { pready(1, request); }) == err_arg, "no such partition");
    pready(0, request);
    expect(error_of([&] { pready(0, request); }) == err_arg, "twice");
    bool flag = false;
    expect(error_of([&] { parrived(request, 0, flag); }) == err_request, "of a send");
    wait(request, nullptr);
    request_free(request);
  });
  CHECK(record.all_ended_well());
}
