// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {

std::int32_t neighbour(const Grid& grid, std::int32_t rank, int dimension, std::int32_t step, bool periodic) {
  std::int32_t stride = 1;
  for (int inner = static_cast<int>(grid.size()) - 1; inner > dimension; --inner)
    stride *= grid[static_cast<std::size_t>(inner)];
  const std::int32_t extent = grid[static_cast<std::size_t>(dimension)];
  const std::int32_t here = rank / stride % extent;
  std::int32_t there = here + step;
  if (there < 0 || there >= extent) {
    if (!periodic) return -1;
    there = (there + extent) % extent;
  }
  return rank + (there - here) * stride;
}

}  // namespace orrery::replay::workload
