// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/topology.hpp"

#include <array>

#include "base/error.hpp"
#include "catch.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::error_of;
using testing::expect;
using testing::run;

namespace {

/// Three rows, a ring of two columns.
Comm* make_grid(Comm& comm) {
  const int dims[] = {3, 2};
  const int periods[] = {0, 1};
  Comm* grid = nullptr;
  cart_create(comm, 2, dims, periods, false, grid);
  return grid;
}

}  // namespace

TEST_CASE("a grid has its ranks in row-major order, and those that are too many are left out") {
  const auto record = run(7, [](int rank) {
    Comm* grid = make_grid(comm_world());
    expect((grid == nullptr) == (rank == 6), "who is in the grid");
    if (grid == nullptr) return;
    std::array<int, 2> place{};
    cart_coords(*grid, rank, 2, place.data());
    expect(place == std::array{rank / 2, rank % 2}, "coordinates");
    int back = -1;
    const int far[] = {rank / 2, rank % 2 - 4};
    cart_rank(*grid, far, back);
    expect(back == rank, "round the ring");
    expect(error_of([&] {
             const int outside[] = {3, 0};
             cart_rank(*grid, outside, back);
           }) == err_arg,
           "outside of what is no ring");
    int source = 0, destination = 0;
    cart_shift(*grid, 0, 1, source, destination);
    expect(source == (rank < 2 ? proc_null : rank - 2), "the row above");
    expect(destination == (rank >= 4 ? proc_null : rank + 2), "the row below");
    cart_shift(*grid, 1, -1, source, destination);
    expect(source == (rank ^ 1) && destination == (rank ^ 1), "the other column");
    int kind = 0;
    topo_test(*grid, kind);
    expect(kind == topology_cart, "its kind");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("rows and columns of a grid are grids") {
  const auto record = run(6, [](int rank) {
    Comm* grid = make_grid(comm_world());
    Comm* column = nullptr;
    const int keep_first[] = {1, 0};
    cart_sub(*grid, keep_first, column);
    expect(column->size() == 3 && column->rank == rank / 2, "a column");
    int dims = 0, period = -1, place = -1;
    cart_get(*column, 1, &dims, &period, &place);
    expect(dims == 3 && period == 0 && place == rank / 2, "its shape");
    Comm* point = nullptr;
    const int keep_none[] = {0, 0};
    cart_sub(*grid, keep_none, point);
    cartdim_get(*point, dims);
    expect(point->size() == 1 && dims == 0, "a point");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a duplicate has the topology of the original, also one that is made meanwhile") {
  const auto record = run(6, [](int) {
    Comm* grid = make_grid(comm_world());
    Comm* copy = nullptr;
    comm_dup(*grid, copy);
    int dims = 0;
    cartdim_get(*copy, dims);
    expect(dims == 2, "the duplicate");
    Request* request = nullptr;
    comm_idup(*grid, copy, request);
    wait(request, nullptr);
    cartdim_get(*copy, dims);
    expect(dims == 2, "the one made meanwhile");
    Comm* half = nullptr;
    comm_split(*grid, 0, 0, half);
    expect(error_of([&] { cartdim_get(*half, dims); }) == err_topology, "a split one has none");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a graph gives each rank its neighbours") {
  const auto record = run(4, [](int rank) {
    // MPI-4.1, example 8.3
    const int index[] = {2, 3, 4, 6};
    const int edges[] = {1, 3, 0, 3, 0, 2};
    Comm* graph = nullptr;
    graph_create(comm_world(), 4, index, edges, false, graph);
    int count = 0;
    graph_neighbors_count(*graph, rank, count);
    expect(count == (rank == 0 || rank == 3 ? 2 : 1), "how many");
    std::array<int, 2> neighbors{-1, -1};
    graph_neighbors(*graph, 3, 2, neighbors.data());
    expect(neighbors == std::array{0, 2}, "those of the last");
    Comm* small = nullptr;
    graph_create(comm_world(), 2, index, std::array{1, 0, 1}.data(), false, small);
    expect((small == nullptr) == (rank >= 2), "ranks without a node");
    int wrong[] = {2, 1, 4, 6};
    expect(error_of([&] { graph_create(comm_world(), 4, wrong, edges, false, graph); }) == err_arg, "index");
    expect(error_of([&] { graph_create(comm_world(), 3, index, edges, false, graph); }) == err_arg, "edges");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("edges of a distributed graph come to both their ends, whoever gives them") {
  const auto record = run(4, [](int rank) {
    // Rank 3 gives a ring, rank 1 an edge that is there already, twice.
    std::vector<int> sources, degrees, destinations, weights;
    if (rank == 3) {
      sources = {0, 1, 2, 3};
      degrees = {1, 1, 1, 1};
      destinations = {1, 2, 3, 0};
      weights = {10, 11, 12, 13};
    } else if (rank == 1) {
      sources = {0};
      degrees = {2};
      destinations = {1, 1};
      weights = {20, 21};
    }
    Comm* graph = nullptr;
    dist_graph_create(comm_world(), static_cast<int>(sources.size()), sources.data(), degrees.data(),
                      destinations.data(), weights.empty() ? weights_empty : weights.data(), nullptr, false, graph);
    int in = 0, out = 0;
    bool weighted = false;
    dist_graph_neighbors_count(*graph, in, out, weighted);
    expect(in == (rank == 1 ? 3 : 1) && out == (rank == 0 ? 3 : 1) && weighted, "how many");
    std::array<int, 3> from{}, from_weights{}, to{}, to_weights{};
    dist_graph_neighbors(*graph, 3, from.data(), from_weights.data(), 3, to.data(), to_weights.data());
    if (rank == 0) expect(to == std::array{1, 1, 1} && to_weights == std::array{20, 21, 10}, "edges out of 0");
    if (rank == 1) expect(from == std::array{0, 0, 0} && from_weights == std::array{20, 21, 10}, "edges into 1");
    if (rank == 2) expect(from[0] == 1 && from_weights[0] == 11 && to[0] == 3 && to_weights[0] == 12, "edges of 2");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a grid that is larger than its communicator, or no grid, is an error") {
  const auto record = run(2, [](int) {
    Comm* grid = nullptr;
    const int dims[] = {2, 2};
    const int none[] = {0, 2};
    expect(error_of([&] { cart_create(comm_world(), 2, dims, dims, false, grid); }) == err_dims, "too large");
    expect(error_of([&] { cart_create(comm_world(), 2, none, dims, false, grid); }) == err_dims, "no rows");
    int rank = 0;
    expect(error_of([&] { cart_rank(comm_world(), dims, rank); }) == err_topology, "no topology");
    cart_map(comm_world(), 1, std::array{1}.data(), nullptr, rank);
    expect(rank == (this_rank().world_rank() == 0 ? 0 : undefined), "the map");
  });
  CHECK(record.all_ended_well());
}
