// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {
namespace {

/// Dimensions that a wave can move in, by bit of the number of its corner.
int dimensions(const Grid& grid) {
  int count = 0;
  for (const std::int32_t extent : grid) count += extent > 1 ? 1 : 0;
  return count;
}

}  // namespace

op::Script wavefront(const Wavefront* wavefront, Turn turn) {
  const auto corners = static_cast<std::uint32_t>(1 << dimensions(wavefront->grid));
  double compute_s = 0;
  for (std::int32_t sweep = 0; sweep < wavefront->sweeps; ++sweep) {
    const std::uint32_t corner = static_cast<std::uint32_t>(sweep) % corners;
    for (std::int32_t plane = 0; plane < wavefront->planes; ++plane) {
      for (int part = 0; part < 8; ++part) {
        const bool sends = part >= 4;
        const int dimension = part % 4;
        if (part == 4) compute_s += wavefront->compute_s;  // what came in is there
        if (wavefront->grid[static_cast<std::size_t>(dimension)] == 1) continue;
        std::uint32_t bit = 0;
        for (int d = 0; d < dimension; ++d) bit += wavefront->grid[static_cast<std::size_t>(d)] > 1 ? 1 : 0;
        const std::int32_t forward = (corner >> bit & 1) == 0 ? 1 : -1;
        const std::int32_t peer = neighbour(wavefront->grid, turn.self, dimension, sends ? forward : -forward, false);
        if (peer < 0) continue;
        op::Operation operation;
        operation.kind = sends ? op::Kind::Isend : op::Kind::Irecv;
        operation.flags = op::Blocking | op::FirstOfCall;
        operation.routine = sends ? turn.routines->send : turn.routines->recv;
        operation.peer = peer;
        operation.tag = 16 + dimension;
        operation.bytes.count = wavefront->bytes[static_cast<std::size_t>(dimension)];
        operation.compute_s = compute_s;
        compute_s = 0;
        co_yield operation;
      }
    }
  }
  if (compute_s <= 0) co_return;
  op::Operation rest;  // of the last corner, which sends nothing
  rest.compute_s = compute_s;
  co_yield rest;
}

}  // namespace orrery::replay::workload
