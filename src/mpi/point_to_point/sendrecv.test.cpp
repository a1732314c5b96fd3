// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/sendrecv.hpp"

#include <array>
#include <vector>

#include "catch.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

TEST_CASE("an immediate send and receive is one request of two parts") {
  const RunRecord record = run(2, [](int rank) {
    const int out = 10 + rank;
    int in = 0;
    Request* request = nullptr;
    isendrecv(&out, 1, int_type(), 1 - rank, 3 + rank, &in, 1, int_type(), 1 - rank, 4 - rank, comm_world(), request);
    Status status;
    wait(request, &status);
    expect(in == 11 - rank && status.source == 1 - rank && status.tag == 4 - rank, "data and status of the receive");
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) == std::vector{Kind::Join, Kind::Irecv, Kind::Isend, Kind::WaitAll});
  const auto& sent = record.sent[0];
  CHECK(sent[0].operation.bytes.count == 2);
  CHECK(sent[1].operation.flags == op::Part);
  CHECK(sent[2].operation.flags == op::Part);
  CHECK(sent[1].operation.request == sent[0].operation.request);
  CHECK(sent[3].requests == std::vector{sent[0].operation.request});
}

TEST_CASE("what an immediate replacing send and receive sends is what was there before") {
  const RunRecord record = run(2, [](int rank) {
    std::vector<int> data(100'000, rank);
    Request* request = nullptr;
    isendrecv_replace(data.data(), 100'000, int_type(), 1 - rank, 0, 1 - rank, 0, comm_world(), request);
    wait(request, nullptr);
    expect(data == std::vector<int>(100'000, 1 - rank), "swapped");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("with nobody on one side only the other is a part, with nobody on both there is nothing to do") {
  const RunRecord record = run(1, [](int) {
    int out = 1, in = 2;
    Request* request = nullptr;
    Status status;
    isendrecv(&out, 1, int_type(), proc_null, 0, &in, 1, int_type(), proc_null, 0, comm_world(), request);
    wait(request, &status);
    expect(in == 2 && status.source == proc_null, "nothing came");
    Request* receive = nullptr;
    isendrecv(&out, 1, int_type(), proc_null, 0, &in, 1, int_type(), 0, 0, comm_world(), receive);
    isendrecv(&out, 1, int_type(), 0, 0, &in, 1, int_type(), proc_null, 0, comm_world(), request);
    wait(request, &status);
    wait(receive, nullptr);
    expect(in == 1, "it came");
    expect(error_of([&] { isendrecv(&out, 1, int_type(), 7, 0, &in, 1, int_type(), 0, 0, comm_world(), request); }) ==
               err_rank,
           "no such rank");
  });
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0) == std::vector{Kind::Join, Kind::Irecv, Kind::Join, Kind::Isend, Kind::WaitAll, Kind::WaitAll});
  CHECK(record.sent[0][0].operation.bytes.count == 1);
}
