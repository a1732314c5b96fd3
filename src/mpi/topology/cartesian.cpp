// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/topology/create.hpp"

namespace orrery::mpi {

namespace {

/// Nodes of a grid, which must not be more than `most`.
int nodes_of(int ndims, const int* dims, int most) {
  if (ndims < 0) throw Error{err_dims, concat("a grid of ", ndims, " dimensions")};
  std::int64_t nodes = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 1) throw Error{err_dims, concat("dimension ", i, " is ", dims[i])};
    nodes *= dims[i];
    if (nodes > most) {
      throw Error{err_dims, concat("the grid has more nodes than the ", most, " ranks of the communicator")};
    }
  }
  return static_cast<int>(nodes);
}

void check_grid_rank(const Comm& comm, int rank) {
  if (rank < 0 || rank >= comm.size()) {
    throw Error{err_rank, concat("rank ", rank, " in a communicator of ", comm.size())};
  }
}

void check_dims_room(int max_dims, const Cartesian& grid) {
  if (max_dims < static_cast<int>(grid.dims.size())) {
    throw Error{err_arg, concat("there is room for ", max_dims, " of ", grid.dims.size(), " dimensions")};
  }
}

int wrapped(int coordinate, int size) {
  const int rest = coordinate % size;
  return rest < 0 ? rest + size : rest;
}

}  // namespace

std::vector<int> Cartesian::coordinates(int rank) const {
  std::vector<int> result(dims.size());
  for (std::size_t i = dims.size(); i-- > 0; rank /= dims[i]) result[i] = rank % dims[i];
  return result;
}

int Cartesian::rank_at(const int* coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    int place = coordinates[i];
    if (periods[i] != 0) {
      place = wrapped(place, dims[i]);
    } else if (place < 0 || place >= dims[i]) {
      throw Error{err_arg, concat("coordinate ", place, " in dimension ", i, ", which has ", dims[i])};
    }
    rank = rank * dims[i] + place;
  }
  return rank;
}

int Cartesian::neighbor(int rank, int dimension, int displacement) const {
  const auto i = static_cast<std::size_t>(dimension);
  auto place = coordinates(rank);
  const std::int64_t moved = std::int64_t{place[i]} + displacement;
  if (periods[i] == 0 && (moved < 0 || moved >= dims[i])) return proc_null;
  place[i] = static_cast<int>((moved % dims[i] + dims[i]) % dims[i]);
  return rank_at(place.data());
}

void cart_create(Comm& comm, int ndims, const int* dims, const int* periods, bool /*reorder*/, Comm*& grid) {
  check_intra(comm);
  const int nodes = nodes_of(ndims, dims, comm.size());
  grid = comm_of_first(comm, nodes);
  if (grid == nullptr) return;
  Cartesian cartesian{{dims, dims + ndims}, {}};
  for (int i = 0; i < ndims; ++i) cartesian.periods.push_back(periods[i] != 0 ? 1 : 0);
  set_topology(*grid, {std::move(cartesian)});
}

void cart_get(Comm& comm, int max_dims, int* dims, int* periods, int* coordinates) {
  const Cartesian& grid = cartesian_of(comm);
  check_dims_room(max_dims, grid);
  std::ranges::copy(grid.dims, dims);
  std::ranges::copy(grid.periods, periods);
  std::ranges::copy(grid.coordinates(comm.rank), coordinates);
}

void cartdim_get(Comm& comm, int& ndims) { ndims = static_cast<int>(cartesian_of(comm).dims.size()); }

void cart_rank(Comm& comm, const int* coordinates, int& rank) { rank = cartesian_of(comm).rank_at(coordinates); }

void cart_coords(Comm& comm, int rank, int max_dims, int* coordinates) {
  const Cartesian& grid = cartesian_of(comm);
  check_grid_rank(comm, rank);
  check_dims_room(max_dims, grid);
  std::ranges::copy(grid.coordinates(rank), coordinates);
}

void cart_shift(Comm& comm, int direction, int displacement, int& source, int& destination) {
  const Cartesian& grid = cartesian_of(comm);
  if (direction < 0 || direction >= static_cast<int>(grid.dims.size())) {
    throw Error{err_dims, concat("direction ", direction, " in a grid of ", grid.dims.size(), " dimensions")};
  }
  source = grid.neighbor(comm.rank, direction, -displacement);
  destination = grid.neighbor(comm.rank, direction, displacement);
}

void cart_sub(Comm& comm, const int* remain, Comm*& part) {
  const Cartesian& grid = cartesian_of(comm);
  const auto place = grid.coordinates(comm.rank);
  Cartesian kept;
  int color = 0;  // the place in the dimensions that go
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    if (remain[i] != 0) {
      kept.dims.push_back(grid.dims[i]);
      kept.periods.push_back(grid.periods[i]);
    } else {
      color = color * grid.dims[i] + place[i];
    }
  }
  comm_split(comm, color, comm.rank, part);
  set_topology(*part, {std::move(kept)});
}

void cart_map(Comm& comm, int ndims, const int* dims, const int* /*periods*/, int& new_rank) {
  check_intra(comm);
  new_rank = comm.rank < nodes_of(ndims, dims, comm.size()) ? comm.rank : undefined;
}

}  // namespace orrery::mpi
