// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {
namespace {

void check_grid(const Grid& grid, std::int32_t ranks) {
  std::int64_t points = 1;
  for (const std::int32_t extent : grid) {
    if (extent < 1) throw InputError(concat("a grid with an extent of ", extent));
    points = std::min<std::int64_t>(points * extent, std::int64_t{1} << 40);
  }
  if (points != ranks) throw InputError(concat("a grid of ", points, " points for ", ranks, " ranks"));
}

void check_one(const Compute&, std::int32_t) {}
void check_one(const Halo& halo, std::int32_t ranks) { check_grid(halo.grid, ranks); }
void check_one(const Wavefront& wavefront, std::int32_t ranks) { check_grid(wavefront.grid, ranks); }
void check_one(const MasterWorker& work, std::int32_t ranks) {
  if (ranks < 2 && work.tasks > 0) throw InputError("a master without workers");
}
void check_one(const Collective& call, std::int32_t ranks) {
  if (call.root < 0 || call.root >= ranks) throw InputError(concat("the root ", call.root, " among ", ranks, " ranks"));
  if (call.element < 1) throw InputError("a collective with elements of no bytes");
  if (op::is_among_neighbors(call.kind))
    throw InputError("a neighbourhood collective needs a topology, which workloads do not have; describe a halo");
}
void check_one(const Random& random, std::int32_t) {
  if (random.least_bytes < 0 || random.most_bytes < random.least_bytes)
    throw InputError(concat("random messages of ", random.least_bytes, " to ", random.most_bytes, " bytes"));
}

}  // namespace

void check(const Phase& phase, std::int32_t ranks) {
  std::visit([&](const auto& what) { check_one(what, ranks); }, phase.what);
}

}  // namespace orrery::replay::workload
