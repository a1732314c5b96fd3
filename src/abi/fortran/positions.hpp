// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// Positions in arrays: from 0 in C, from 1 in Fortran.
namespace orrery::abi::fortran {

/// One position, or MPI_UNDEFINED.
class PositionOut {
 public:
  explicit PositionOut(int* position) : out_(*position) {}
  PositionOut(const PositionOut&) = delete;
  PositionOut& operator=(const PositionOut&) = delete;
  ~PositionOut() {
    if (position_ != unset) out_ = position_ == MPI_UNDEFINED ? MPI_UNDEFINED : position_ + 1;
  }
  operator int*() { return &position_; }

 private:
  static constexpr int unset = -1;
  int& out_;
  int position_ = unset;
};

/// The first `*used` positions of an array; none where that is MPI_UNDEFINED or the call leaves it alone.
class PositionsOut {
 public:
  PositionsOut(int* positions, int* used) : positions_(positions), used_(*used) { used_ = 0; }
  PositionsOut(const PositionsOut&) = delete;
  PositionsOut& operator=(const PositionsOut&) = delete;
  ~PositionsOut() {
    for (int i = 0; i < used_; ++i) ++positions_[i];
  }
  operator int*() { return positions_; }

 private:
  int* positions_;
  int& used_;
};

}  // namespace orrery::abi::fortran
