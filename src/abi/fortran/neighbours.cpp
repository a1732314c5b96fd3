// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/neighbours.hpp"

#include "abi/fortran/handles.hpp"

namespace orrery::abi::fortran {

int peers(int number, const void* buffer) {
  if (buffer == MPI_IN_PLACE) return 0;
  const auto comm = from<MPI_Comm>(number);
  int inter = 0;
  int size = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  const int code = inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return code == MPI_SUCCESS ? size : 0;
}

int cart_dims(int number) {
  int dims = 0;
  return PMPI_Cartdim_get(from<MPI_Comm>(number), &dims) == MPI_SUCCESS ? dims : 0;
}

namespace {

struct Neighbours {
  int in = 0;
  int out = 0;
};

Neighbours neighbours(MPI_Comm comm) {
  Neighbours count;
  int kind = MPI_UNDEFINED;
  int weighted = 0;
  int rank = 0;
  if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return count;
  switch (kind) {
    case MPI_CART: {
      PMPI_Cartdim_get(comm, &count.in);
      count.in *= 2;
      count.out = count.in;
      break;
    }
    case MPI_GRAPH: {
      PMPI_Comm_rank(comm, &rank);
      PMPI_Graph_neighbors_count(comm, rank, &count.in);
      count.out = count.in;
      break;
    }
    case MPI_DIST_GRAPH: PMPI_Dist_graph_neighbors_count(comm, &count.in, &count.out, &weighted); break;
    default: break;
  }
  return count;
}

}  // namespace

int in_neighbors(int number) { return neighbours(from<MPI_Comm>(number)).in; }
int out_neighbors(int number) { return neighbours(from<MPI_Comm>(number)).out; }

}  // namespace orrery::abi::fortran
