// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {
namespace {

/// Messages of one rank: number i goes to, and comes from, the neighbours of dimension i / 2, up or down.
struct Side {
  std::int32_t to, from;
  std::int64_t bytes;
};

Side side(const Halo& halo, std::int32_t self, int number) {
  const int dimension = number / 2;
  const std::int32_t step = number % 2 == 0 ? 1 : -1;
  return {neighbour(halo.grid, self, dimension, step, halo.periodic),
          neighbour(halo.grid, self, dimension, -step, halo.periodic), halo.bytes[static_cast<std::size_t>(dimension)]};
}

}  // namespace

op::Script halo(const Halo* halo, Turn turn) {
  std::array<op::RequestId, 16> requests{};
  std::size_t open = 0;
  for (int number = 0; number < 16; ++number) {
    const bool sends = number >= 8;
    const Side message = side(*halo, turn.self, number % 8);
    const std::int32_t peer = sends ? message.to : message.from;
    if (halo->grid[static_cast<std::size_t>(number % 8 / 2)] == 1 || peer < 0) continue;
    op::Operation operation;
    operation.kind = sends ? op::Kind::Isend : op::Kind::Irecv;
    operation.flags = op::FirstOfCall;
    operation.routine = sends ? turn.routines->isend : turn.routines->irecv;
    operation.peer = peer;
    operation.tag = number % 8;
    operation.bytes.count = message.bytes;
    operation.request = static_cast<op::RequestId>(open + 1);
    requests[open++] = operation.request;
    co_yield operation;
  }
  if (open == 0) co_return;
  op::Operation wait;
  wait.kind = op::Kind::WaitAll;
  wait.flags = op::FirstOfCall;
  wait.routine = turn.routines->waitall;
  wait.requests = std::span(requests).first(open);
  co_yield wait;
}

}  // namespace orrery::replay::workload
