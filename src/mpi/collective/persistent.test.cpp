// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "catch.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/reduction/reduction.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::run;
using testing::sum_op;

namespace {

void start_and_wait(Request*& request) {
  start(request);
  wait(request, nullptr);
  expect(request != nullptr && !request->active, "the request is inactive");
}

}  // namespace

TEST_CASE("a persistent collective gives the data of each start") {
  // With one element the root of the broadcast is many starts ahead of the others, with many it waits for them.
  const auto count = GENERATE(std::int64_t{1}, std::int64_t{100'000});
  const auto record = run(5, [&](int rank) {
    Comm& comm = comm_world();
    std::vector<int> data(static_cast<std::size_t>(count));
    std::vector<int> total(data.size());
    Request* bcast_request = nullptr;
    Request* sum_request = nullptr;
    bcast_init(data.data(), count, testing::int_type(), 1, comm, nullptr, bcast_request);
    allreduce_init(data.data(), total.data(), count, testing::int_type(), sum_op(), comm, nullptr, sum_request);
    for (int time = 0; time < 7; ++time) {
      data.assign(data.size(), rank == 1 ? 10 + time : -1);
      start_and_wait(bcast_request);
      expect(data.front() == 10 + time && data.back() == 10 + time, concat("broadcast ", time));
      data.assign(data.size(), rank + time);
      start_and_wait(sum_request);
      expect(total.front() == 10 + 5 * time && total.back() == 10 + 5 * time, concat("sum ", time));
    }
    request_free(bcast_request);
    request_free(sum_request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("persistent collectives may be started in another order on each rank") {
  const auto record = run(3, [](int rank) {
    std::array<int, 3> own{rank, 10 * rank, 100 * rank};
    std::array<int, 3> total{};
    std::array<Request*, 3> requests{};
    for (std::size_t i = 0; i < 3; ++i) {
      allreduce_init(&own[i], &total[i], 1, testing::int_type(), sum_op(), comm_world(), nullptr, requests[i]);
    }
    for (int time = 0; time < 3; ++time) {
      for (std::size_t i = 0; i < 3; ++i) start(requests[(i + static_cast<std::size_t>(rank)) % 3]);
      waitall(requests, nullptr);
    }
    expect(total == std::array<int, 3>{3, 30, 300}, "the sums");
    for (Request*& request : requests) request_free(request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a persistent collective keeps what the program frees before it starts it") {
  const auto record = run(2, [](int rank) {
    Comm* comm = nullptr;
    Datatype* pair = nullptr;
    comm_dup(comm_world(), comm);
    type_contiguous(2, testing::int_type(), pair);
    type_commit(pair);
    std::array<int, 2> own{rank + 1, rank + 5};
    std::array<int, 4> all{};
    std::vector<int> counts{1, 1};
    std::vector<int> places{0, 1};
    Request* request = nullptr;
    allgatherv_init(own.data(), 1, *pair, all.data(), IntArray(counts.data()), IntArray(places.data()), *pair, *comm,
                    nullptr, request);
    counts.assign(2, -1);
    type_free(pair);
    comm_free(comm);
    start_and_wait(request);
    expect(all == std::array<int, 4>{1, 5, 2, 6}, "the blocks");
    request_free(request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a persistent collective is checked when it is initialised, and takes no simulated time until it starts") {
  const auto record = run(2, [](int) {
    int number = 0;
    Request* request = nullptr;
    expect(
        error_of([&] { bcast_init(&number, 1, testing::int_type(), 2, comm_world(), nullptr, request); }) == err_root,
        "the root");
    bcast_init(&number, 1, testing::int_type(), 0, comm_world(), nullptr, request);
    request_free(request);
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}
