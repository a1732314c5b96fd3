// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "base/error.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"
#include "mpi/topology/create.hpp"

namespace orrery::mpi {

namespace {

struct Edge {
  int source;
  int destination;
  int weight;
};

bool has_weights(const int* weights) { return weights != unweighted; }

int weight_at(const int* weights, int i) { return weights == unweighted || weights == weights_empty ? 1 : weights[i]; }

void check_weights(const int* weights, int edges) {
  if (weights == nullptr && edges > 0) throw Error{err_arg, "the weights are a null pointer"};
  if (weights == weights_empty && edges > 0) throw Error{err_arg, "MPI_WEIGHTS_EMPTY for edges that there are"};
}

void check_degree(int degree) {
  if (degree < 0) throw Error{err_arg, concat("a degree of ", degree)};
}

void check_node(const Comm& comm, int rank) {
  if (rank < 0 || rank >= comm.size()) {
    throw Error{err_rank, concat("an edge of rank ", rank, " in a communicator of ", comm.size())};
  }
}

/// Tells each rank the edges that begin and end at it. All ranks give some, which may be anyone's. They come in the
/// order of who gave them, at both ends: so parallel edges have the same order there.
///
/// Costs what telling each rank how many edges it has costs; the edges themselves are a few bytes more.
class ShareEdges final : public HubExchange {
 public:
  ShareEdges(std::vector<Edge> edges, Comm& comm) : HubExchange(comm), own_(std::move(edges)) {
    if (is_hub()) slices_.resize(static_cast<std::size_t>(comm.size()));
    constexpr std::int64_t degrees_bytes = 2 * sizeof(int);
    time_as(op::CollectiveKind::ReduceScatterBlock, 0, degrees_bytes, std::int64_t{sizeof(int)});
    time_reduction();
  }

  /// Edges that begin or end here; those of both kinds are there once.
  [[nodiscard]] const std::vector<Edge>& edges() const { return result_; }

 private:
  static Data data_of(const std::vector<Edge>& edges) { return Data::of(std::as_bytes(std::span(edges))); }
  static std::vector<Edge> read(Piece piece) {
    std::vector<Edge> edges(static_cast<std::size_t>(piece.bytes()) / sizeof(Edge));
    piece.read(data_of(edges));
    return edges;
  }
  void sort_in(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
      slices_[static_cast<std::size_t>(edge.source)].push_back(edge);
      if (edge.destination != edge.source) slices_[static_cast<std::size_t>(edge.destination)].push_back(edge);
    }
  }

  Data contribution() override { return data_of(own_); }
  void combine(int, Piece piece) override { sort_in(read(piece)); }
  void combine_own() override { sort_in(own_); }
  void distribute() override {
    for (int to = 1; to < size(); ++to) post(to, data_of(slices_[static_cast<std::size_t>(to)]));
    result_ = slices_[0];
  }
  void result(Piece piece) override { result_ = read(piece); }

  std::vector<Edge> own_;
  std::vector<std::vector<Edge>> slices_;  ///< at the hub, by rank
  std::vector<Edge> result_;
};

DistGraph adjacent_to(int self, const std::vector<Edge>& edges, bool weighted) {
  DistGraph graph;
  graph.weighted = weighted;
  for (const Edge& edge : edges) {
    if (edge.source == self) {
      graph.destinations.push_back(edge.destination);
      graph.destination_weights.push_back(edge.weight);
    }
    if (edge.destination == self) {
      graph.sources.push_back(edge.source);
      graph.source_weights.push_back(edge.weight);
    }
  }
  return graph;
}

void copy_weights(const std::vector<int>& weights, int room, int* to) {
  if (has_weights(to) && to != weights_empty) copy_some(weights, room, to);
}

}  // namespace

void dist_graph_create(Comm& comm, int n, const int* sources, const int* degrees, const int* destinations,
                       const int* weights, Info* info, bool /*reorder*/, Comm*& graph) {
  check_intra(comm);
  check_degree(n);
  std::vector<Edge> edges;
  for (int i = 0, e = 0; i < n; ++i) {
    check_node(comm, sources[i]);
    check_degree(degrees[i]);
    check_weights(weights, degrees[i]);
    for (int k = 0; k < degrees[i]; ++k, ++e) {
      check_node(comm, destinations[e]);
      edges.push_back({sources[i], destinations[e], weight_at(weights, e)});
    }
  }
  ShareEdges share(std::move(edges), comm);
  run(share);
  graph = comm_of_first(comm, comm.size());
  if (info != nullptr) comm_set_info(*graph, info);
  set_topology(*graph, {adjacent_to(comm.rank, share.edges(), has_weights(weights))});
}

void dist_graph_create_adjacent(Comm& comm, int in_degree, const int* sources, const int* source_weights,
                                int out_degree, const int* destinations, const int* destination_weights, Info* info,
                                bool /*reorder*/, Comm*& graph) {
  check_intra(comm);
  check_degree(in_degree);
  check_degree(out_degree);
  check_weights(source_weights, in_degree);
  check_weights(destination_weights, out_degree);
  DistGraph adjacent;
  adjacent.weighted = has_weights(source_weights) && has_weights(destination_weights);
  for (int i = 0; i < in_degree; ++i) {
    check_node(comm, sources[i]);
    adjacent.sources.push_back(sources[i]);
    adjacent.source_weights.push_back(weight_at(source_weights, i));
  }
  for (int i = 0; i < out_degree; ++i) {
    check_node(comm, destinations[i]);
    adjacent.destinations.push_back(destinations[i]);
    adjacent.destination_weights.push_back(weight_at(destination_weights, i));
  }
  graph = comm_of_first(comm, comm.size());
  if (info != nullptr) comm_set_info(*graph, info);
  set_topology(*graph, {std::move(adjacent)});
}

void dist_graph_neighbors(Comm& comm, int max_in, int* sources, int* source_weights, int max_out, int* destinations,
                          int* destination_weights) {
  const DistGraph& graph = dist_graph_of(comm);
  copy_some(graph.sources, max_in, sources);
  copy_some(graph.destinations, max_out, destinations);
  if (!graph.weighted) return;
  copy_weights(graph.source_weights, max_in, source_weights);
  copy_weights(graph.destination_weights, max_out, destination_weights);
}

void dist_graph_neighbors_count(Comm& comm, int& in_degree, int& out_degree, bool& weighted) {
  const DistGraph& graph = dist_graph_of(comm);
  in_degree = static_cast<int>(graph.sources.size());
  out_degree = static_cast<int>(graph.destinations.size());
  weighted = graph.weighted;
}

}  // namespace orrery::mpi
