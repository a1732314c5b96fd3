// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/topology/create.hpp"

namespace orrery::mpi {

namespace {

void check_graph(const Comm& comm, int nodes, const int* index, const int* edges) {
  if (nodes < 0) throw Error{err_arg, concat("a graph of ", nodes, " nodes")};
  if (nodes > comm.size()) {
    throw Error{err_arg, concat("a graph of ", nodes, " nodes for the ", comm.size(), " ranks of the communicator")};
  }
  int before = 0;
  for (int i = 0; i < nodes; ++i) {
    if (index[i] < before) throw Error{err_arg, concat("index decreases at node ", i)};
    before = index[i];
  }
  for (int i = 0; i < before; ++i) {
    if (edges[i] < 0 || edges[i] >= nodes) {
      throw Error{err_arg, concat("edge ", i, " leads to node ", edges[i], " of ", nodes)};
    }
  }
}

void check_graph_rank(const Graph& graph, int rank) {
  if (rank < 0 || rank >= static_cast<int>(graph.index.size())) {
    throw Error{err_rank, concat("rank ", rank, " in a graph of ", graph.index.size(), " nodes")};
  }
}

}  // namespace

void copy_some(const std::vector<int>& values, int room, int* to) {
  std::copy_n(values.begin(), std::clamp(room, 0, static_cast<int>(values.size())), to);
}

std::vector<int> Graph::neighbors(int rank) const {
  const auto i = static_cast<std::size_t>(rank);
  return {edges.begin() + (i == 0 ? 0 : index[i - 1]), edges.begin() + index[i]};
}

void graph_create(Comm& comm, int nodes, const int* index, const int* edges, bool /*reorder*/, Comm*& graph) {
  check_intra(comm);
  check_graph(comm, nodes, index, edges);
  graph = comm_of_first(comm, nodes);
  if (graph == nullptr) return;
  set_topology(*graph, {Graph{{index, index + nodes}, {edges, edges + index[nodes - 1]}}});
}

void graph_get(Comm& comm, int max_index, int max_edges, int* index, int* edges) {
  const Graph& graph = graph_of(comm);
  copy_some(graph.index, max_index, index);
  copy_some(graph.edges, max_edges, edges);
}

void graphdims_get(Comm& comm, int& nodes, int& edges) {
  const Graph& graph = graph_of(comm);
  nodes = static_cast<int>(graph.index.size());
  edges = static_cast<int>(graph.edges.size());
}

void graph_neighbors(Comm& comm, int rank, int max_neighbors, int* neighbors) {
  const Graph& graph = graph_of(comm);
  check_graph_rank(graph, rank);
  copy_some(graph.neighbors(rank), max_neighbors, neighbors);
}

void graph_neighbors_count(Comm& comm, int rank, int& count) {
  const Graph& graph = graph_of(comm);
  check_graph_rank(graph, rank);
  count = static_cast<int>(graph.neighbors(rank).size());
}

void graph_map(Comm& comm, int nodes, const int* index, const int* edges, int& new_rank) {
  check_intra(comm);
  check_graph(comm, nodes, index, edges);
  new_rank = comm.rank < nodes ? comm.rank : undefined;
}

}  // namespace orrery::mpi
