// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/neighbor.hpp"

#include <array>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "catch.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"
#include "mpi/topology/topology.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::int_type;
using testing::run;

namespace {

Comm* make_line(int size, bool ring) {
  const int period = ring ? 1 : 0;
  Comm* line = nullptr;
  cart_create(comm_world(), 1, &size, &period, false, line);
  return line;
}

/// What `rank` sends as element i of its block for the neighbour at `position`.
int neighbor_value(int rank, int position, int i) { return (rank + 1) * 1'000'000 + position * 100'000 + i; }

std::vector<int> block(int rank, int position, int count) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(neighbor_value(rank, position, i));
  return values;
}

std::vector<int> blocks(int rank, int count) {
  auto all = block(rank, 0, count);
  const auto second = block(rank, 1, count);
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// What a rank of a ring receives: from below what was sent up, from above what was sent down.
std::vector<int> from_ring(int rank, int size, int count) {
  auto all = block((rank + size - 1) % size, 1, count);
  const auto above = block((rank + 1) % size, 0, count);
  all.insert(all.end(), above.begin(), above.end());
  return all;
}

}  // namespace

TEST_CASE("on a ring what is sent up comes from below, also where both neighbours are the same rank or oneself") {
  const int size = GENERATE(1, 2, 3, 5);
  const int count = GENERATE(1, 50'000);
  const auto record = run(size, [=](int rank) {
    Comm& ring = *make_line(size, true);
    const auto sent = blocks(rank, count);
    const auto expected = from_ring(rank, size, count);
    std::vector<int> received(sent.size());
    neighbor_alltoall(sent.data(), count, int_type(), received.data(), count, int_type(), ring);
    expect(received == expected, "blocking");
    received.assign(sent.size(), -1);
    Request* request = nullptr;
    ineighbor_alltoall(sent.data(), count, int_type(), received.data(), count, int_type(), ring, request);
    wait(request, nullptr);
    expect(received == expected, "immediate");
    neighbor_alltoall_init(sent.data(), count, int_type(), received.data(), count, int_type(), ring, nullptr, request);
    for (int time = 0; time < 3; ++time) {
      received.assign(sent.size(), -1);
      start(request);
      wait(request, nullptr);
      expect(received == expected, "persistent");
    }
    request_free(request);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("where a grid ends nothing is sent, and the block of the neighbour that is not there is left alone") {
  const auto record = run(3, [](int rank) {
    Comm& line = *make_line(3, false);
    const int sent = 10 + rank;
    std::array<int, 2> received{-1, -1};
    neighbor_allgather(&sent, 1, int_type(), received.data(), 1, int_type(), line);
    expect(received == std::array{rank == 0 ? -1 : 9 + rank, rank == 2 ? -1 : 11 + rank}, "the neighbours");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("parallel edges of a graph keep their order, and blocks may differ in size and type") {
  const auto record = run(2, [](int rank) {
    // Each has the other as a neighbour three times.
    const std::array<int, 3> other{1 - rank, 1 - rank, 1 - rank};
    Comm* graph = nullptr;
    dist_graph_create_adjacent(comm_world(), 3, other.data(), unweighted, 3, other.data(), unweighted, nullptr, false,
                               graph);
    const std::vector<int> sent = block(rank, 0, 6);
    const std::array<int, 3> counts{1, 0, 3};
    const std::array<int, 3> places{5, 0, 1};
    std::vector<int> received(6, -1);
    neighbor_alltoallv(sent.data(), counts.data(), places.data(), int_type(), received.data(), counts.data(),
                       places.data(), int_type(), *graph);
    const int there = 1 - rank;
    expect(received == std::vector{-1, neighbor_value(there, 0, 1), neighbor_value(there, 0, 2),
                                   neighbor_value(there, 0, 3), -1, neighbor_value(there, 0, 5)},
           "blocks of ints");
    Datatype* pair = nullptr;
    type_contiguous(2, int_type(), pair);
    type_commit(pair);
    const std::array<Datatype*, 3> sent_types{pair, &int_type(), &int_type()};
    const std::array<Datatype*, 3> received_types{&int_type(), pair, &int_type()};
    const std::array<int, 3> sent_counts{1, 2, 1};
    const std::array<int, 3> received_counts{2, 1, 1};
    const std::array<std::int64_t, 3> sent_places{0, 8, 16};
    const std::array<std::int64_t, 3> received_places{12, 4, 0};
    received.assign(6, -1);
    neighbor_alltoallw(sent.data(), sent_counts.data(), sent_places.data(), sent_types.data(), received.data(),
                       received_counts.data(), received_places.data(), received_types.data(), *graph);
    expect(
        received == std::vector{neighbor_value(there, 0, 4), neighbor_value(there, 0, 2), neighbor_value(there, 0, 3),
                                neighbor_value(there, 0, 0), neighbor_value(there, 0, 1), -1},
        "blocks of types");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("the kernel is told the neighbours that there are, with the bytes for each") {
  const auto record = run(3, [](int rank) {
    Comm& line = *make_line(3, false);
    std::array<int, 4> received{};
    const std::array<int, 2> sent{rank, rank};
    neighbor_allgather(sent.data(), 2, int_type(), received.data(), 2, int_type(), line);
  });
  REQUIRE(record.all_ended_well());
  const auto counts = [&](int rank) { return record.sent[static_cast<std::size_t>(rank)].end()[-2].counts; };
  CHECK(counts(0) == std::vector<std::int64_t>{1, 1, 8, 1, 8});
  CHECK(counts(1) == std::vector<std::int64_t>{2, 0, 8, 2, 8, 2, 8, 0, 8});
}

TEST_CASE("a neighbourhood collective without a topology, in place, or with more than fits is an error") {
  const auto record = run(2, [](int rank) {
    int number = 0;
    std::array<int, 2> received{};
    const auto gather = [&](const void* from, Comm& comm) {
      neighbor_allgather(from, 1, int_type(), received.data(), 1, int_type(), comm);
    };
    expect(error_of([&] { gather(&number, comm_world()); }) == err_topology, "no topology");
    Comm& line = *make_line(2, false);
    expect(error_of([&] { gather(in_place, line); }) == err_buffer, "in place");
    const int class_of_error = error_of([&] {
      neighbor_allgather(received.data(), rank == 0 ? 2 : 1, int_type(), received.data(), 1, int_type(), line);
    });
    expect(class_of_error == (rank == 0 ? 0 : err_truncate), "more than fits");
  });
  CHECK(record.all_ended_well());
}
