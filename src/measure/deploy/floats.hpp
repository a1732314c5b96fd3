// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "deploy.hpp"

namespace orrery::deploy {

/// Floating point numbers of a datatype of MPI's own.
struct Floats {
  std::size_t width = 0;  ///< bytes of one number; 0: it has none
  double epsilon = 0;

  static Floats of(MPI_Datatype type);
  [[nodiscard]] std::vector<double> values(const char* data, std::size_t bytes) const;
};

}  // namespace orrery::deploy
