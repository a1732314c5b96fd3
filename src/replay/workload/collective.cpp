// SPDX-License-Identifier: BSD-3-Clause
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {
namespace {

using op::CollectiveKind;

/// How many counts a call needs on this rank, all of them alike.
std::size_t counts_of(CollectiveKind kind, const Turn& turn, std::int32_t root) {
  const auto size = static_cast<std::size_t>(turn.size);
  switch (kind) {
    case CollectiveKind::Gatherv:
    case CollectiveKind::Scatterv: return turn.self == root ? size : 0;
    case CollectiveKind::Allgatherv:
    case CollectiveKind::ReduceScatter: return size;
    case CollectiveKind::Alltoallv:
    case CollectiveKind::Alltoallw: return 2 * size;
    default: return 0;
  }
}

}  // namespace

op::Script collective(const Collective* call, Turn turn) {
  const std::vector<std::int64_t> counts(counts_of(call->kind, turn, call->root), call->bytes);
  op::Operation operation;
  operation.kind = op::Kind::Collective;
  operation.collective = call->kind;
  operation.flags = op::Blocking | op::FirstOfCall | op::Commutative;
  operation.routine = turn.routines->collective[static_cast<std::size_t>(call->kind)];
  operation.peer = call->root;
  operation.element = call->element;
  operation.bytes.count = call->kind == CollectiveKind::ReduceScatter ? call->bytes * turn.size : call->bytes;
  operation.counts = counts;
  co_yield operation;
}

}  // namespace orrery::replay::workload
