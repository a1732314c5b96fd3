// SPDX-License-Identifier: BSD-3-Clause
#include "abi/foreign/lengths.hpp"

#include "abi/foreign/handles.hpp"
#include "abi/foreign/numbers.hpp"
#include "abi/handle.hpp"
#include "standard_entries.hpp"

namespace orrery::abi::foreign {

namespace {

/// The communicator, or null: asking about one that is none would call error handlers.
MPI_Comm known(Comm comm) {
  const auto standard = handle_in<MPI_Comm>(comm);
  return Handle<mpi::Comm>::object(standard) != nullptr ? standard : nullptr;
}

struct Neighbors {
  int in = 0;
  int out = 0;
};

Neighbors neighbors(Comm foreign) {
  const MPI_Comm comm = known(foreign);
  Neighbors found;
  int topology = MPI_UNDEFINED, rank = 0, weighted = 0;
  if (comm == nullptr) return found;
  entries::MPI_Topo_test(comm, &topology);
  entries::MPI_Comm_rank(comm, &rank);
  switch (topology) {
    case MPI_CART:
      entries::MPI_Cartdim_get(comm, &found.in);
      found.in = found.out = 2 * found.in;  // one on each side
      break;
    case MPI_GRAPH:
      entries::MPI_Graph_neighbors_count(comm, rank, &found.in);
      found.out = found.in;
      break;
    case MPI_DIST_GRAPH: entries::MPI_Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted); break;
    default: break;
  }
  return found;
}

}  // namespace

std::int64_t peers(Comm foreign, const void* buffer) {
  const MPI_Comm comm = known(foreign);
  if (comm == nullptr || address(buffer) == MPI_IN_PLACE) return 0;
  int between = 0, size = 0;
  entries::MPI_Comm_test_inter(comm, &between);
  if (between != 0) {
    entries::MPI_Comm_remote_size(comm, &size);
  } else {
    entries::MPI_Comm_size(comm, &size);
  }
  return size;
}

std::int64_t in_neighbors(Comm comm) { return neighbors(comm).in; }

std::int64_t out_neighbors(Comm comm) { return neighbors(comm).out; }

std::int64_t at_root(int root, Comm foreign, std::int64_t length) {
  const MPI_Comm comm = known(foreign);
  int rank = -1;
  if (comm != nullptr) entries::MPI_Comm_rank(comm, &rank);
  return rank == root ? length : 0;
}

}  // namespace orrery::abi::foreign
