// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/topology/create.hpp"

namespace orrery::mpi {

namespace {

std::vector<int> positions_in_order(std::size_t count) {
  std::vector<int> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

/// By dimension, first the neighbour below, then the one above.
Neighbors neighbors(const Cartesian& grid, int rank) {
  Neighbors all;
  for (int dimension = 0; dimension < static_cast<int>(grid.dims.size()); ++dimension) {
    all.sources.push_back(grid.neighbor(rank, dimension, -1));
    all.sources.push_back(grid.neighbor(rank, dimension, 1));
    all.source_order.push_back(2 * dimension + 1);
    all.source_order.push_back(2 * dimension);
  }
  all.destinations = all.sources;
  return all;
}

Neighbors neighbors(const Graph& graph, int rank) {
  const auto edges = graph.neighbors(rank);
  return {edges, edges, positions_in_order(edges.size())};
}

Neighbors neighbors(const DistGraph& graph, int /*rank*/) {
  return {graph.sources, graph.destinations, positions_in_order(graph.sources.size())};
}

}  // namespace

Neighbors neighbors_of(const Comm& comm) {
  if (comm.topology == nullptr) throw Error{err_topology, "the communicator has no topology"};
  return std::visit([&](const auto& kind) { return neighbors(kind, comm.rank); }, comm.topology->kind);
}

int in_neighbors(const Comm& comm) { return static_cast<int>(neighbors_of(comm).sources.size()); }

int out_neighbors(const Comm& comm) { return static_cast<int>(neighbors_of(comm).destinations.size()); }

}  // namespace orrery::mpi
