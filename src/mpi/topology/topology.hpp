// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>
#include <vector>

#include "mpi/communicator/comm.hpp"
#include "mpi/types.hpp"

/// Virtual topologies (MPI-4.1, chapter 8): what a communicator knows of who talks to whom. Ranks keep their places:
/// a reordering that ignores the program's mapping of ranks to hosts can make it slower, and identity is allowed.
namespace orrery::mpi {

/// Kinds of topologies (values of the standard ABI).
inline constexpr int topology_cart = 211;
inline constexpr int topology_graph = 212;
inline constexpr int topology_dist_graph = 213;

/// Instead of weights: MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
inline int* const unweighted = reinterpret_cast<int*>(10);
inline int* const weights_empty = reinterpret_cast<int*>(11);

/// A grid, ranks in row-major order.
struct Cartesian {
  std::vector<int> dims;
  std::vector<int> periods;  ///< 1: the dimension is a ring

  [[nodiscard]] std::vector<int> coordinates(int rank) const;
  /// Coordinates outside of a ring are taken round it. @throws Error outside of a dimension that is none
  [[nodiscard]] int rank_at(const int* coordinates) const;
  /// The rank `displacement` steps along `dimension`, or `proc_null`.
  [[nodiscard]] int neighbor(int rank, int dimension, int displacement) const;
};

/// A graph that every rank knows in full.
struct Graph {
  std::vector<int> index;  ///< edges of the ranks up to and including each
  std::vector<int> edges;

  [[nodiscard]] std::vector<int> neighbors(int rank) const;
};

/// A graph of which each rank knows its own edges.
struct DistGraph {
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
  bool weighted = false;
};

struct Topology {
  std::variant<Cartesian, Graph, DistGraph> kind;
};

// --- Cartesian grids ---
/// Fills in the dimensions that are 0, as equal as can be and not increasing.
void dims_create(int nodes, int ndims, int* dims);
void cart_create(Comm& comm, int ndims, const int* dims, const int* periods, bool reorder, Comm*& grid);
void cart_get(Comm& comm, int max_dims, int* dims, int* periods, int* coordinates);
void cartdim_get(Comm& comm, int& ndims);
void cart_rank(Comm& comm, const int* coordinates, int& rank);
void cart_coords(Comm& comm, int rank, int max_dims, int* coordinates);
void cart_shift(Comm& comm, int direction, int displacement, int& source, int& destination);
void cart_sub(Comm& comm, const int* remain, Comm*& part);
void cart_map(Comm& comm, int ndims, const int* dims, const int* periods, int& new_rank);

// --- graphs ---
void graph_create(Comm& comm, int nodes, const int* index, const int* edges, bool reorder, Comm*& graph);
void graph_get(Comm& comm, int max_index, int max_edges, int* index, int* edges);
void graphdims_get(Comm& comm, int& nodes, int& edges);
void graph_neighbors(Comm& comm, int rank, int max_neighbors, int* neighbors);
void graph_neighbors_count(Comm& comm, int rank, int& count);
void graph_map(Comm& comm, int nodes, const int* index, const int* edges, int& new_rank);

// --- distributed graphs ---
void dist_graph_create(Comm& comm, int n, const int* sources, const int* degrees, const int* destinations,
                       const int* weights, Info* info, bool reorder, Comm*& graph);
void dist_graph_create_adjacent(Comm& comm, int in_degree, const int* sources, const int* source_weights,
                                int out_degree, const int* destinations, const int* destination_weights, Info* info,
                                bool reorder, Comm*& graph);
void dist_graph_neighbors(Comm& comm, int max_in, int* sources, int* source_weights, int max_out, int* destinations,
                          int* destination_weights);
void dist_graph_neighbors_count(Comm& comm, int& in_degree, int& out_degree, bool& weighted);

[[gnu::visibility("default")]] void topo_test(Comm& comm, int& status);

// --- neighbours ---
/// Whom a rank exchanges data with in neighbourhood collectives: `proc_null` where a grid ends.
struct Neighbors {
  std::vector<int> sources;
  std::vector<int> destinations;
  /// Positions in `sources`, in the order in which the messages of one source come, by the destinations they were sent
  /// to: on a ring of one or two ranks what is sent down comes from above (MPI-4.1, section 8.6).
  std::vector<int> source_order;
};
/// @throws Error when the communicator has no topology
[[nodiscard]] Neighbors neighbors_of(const Comm& comm);
/// Numbers of them.
[[nodiscard]] int in_neighbors(const Comm& comm);
[[nodiscard]] int out_neighbors(const Comm& comm);

}  // namespace orrery::mpi
