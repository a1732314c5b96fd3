// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "replay/workload/draws.hpp"
#include "replay/workload/workload.hpp"

namespace orrery::replay::workload {
namespace {

constexpr std::int32_t task_tag = 64, result_tag = 65, stop_tag = 66;

op::Operation message(op::Kind kind, op::RoutineId routine, std::int32_t peer, std::int32_t tag, std::int64_t bytes) {
  op::Operation operation;
  operation.kind = kind;
  operation.flags = op::Blocking | op::FirstOfCall;
  if (kind == op::Kind::Irecv) operation.flags |= op::WantsMatch;
  operation.routine = routine;
  operation.peer = peer;
  operation.tag = tag;
  operation.bytes.count = bytes;
  return operation;
}

/// One task for each worker, then one for whoever returns a result; at the end everyone is told to stop.
op::Script master(const MasterWorker* work, Turn turn) {
  const std::int32_t workers = turn.size - 1;
  std::int64_t dealt = 0;
  for (std::int32_t worker = 1; worker <= workers; ++worker) {
    const bool has_task = dealt < work->tasks;
    if (has_task) ++dealt;
    co_yield message(op::Kind::Isend, turn.routines->send, worker, has_task ? task_tag : stop_tag,
                     has_task ? work->task_bytes : 0);
  }
  for (std::int64_t done = 0; done < work->tasks; ++done) {
    co_yield message(op::Kind::Irecv, turn.routines->recv, op::any_source, result_tag, work->result_bytes);
    const std::int32_t worker = turn.answer->source;
    const bool has_task = dealt < work->tasks;
    if (has_task) ++dealt;
    co_yield message(op::Kind::Isend, turn.routines->send, worker, has_task ? task_tag : stop_tag,
                     has_task ? work->task_bytes : 0);
  }
}

op::Script worker(const MasterWorker* work, Turn turn) {
  for (std::uint64_t number = 0;; ++number) {
    co_yield message(op::Kind::Irecv, turn.routines->recv, 0, op::any_tag, work->task_bytes);
    if (turn.answer->tag == stop_tag) co_return;
    op::Operation result = message(op::Kind::Isend, turn.routines->send, 0, result_tag, work->result_bytes);
    const std::uint64_t drawn = draw(work->seed ^ turn.time, static_cast<std::uint64_t>(turn.self), number);
    result.compute_s = work->compute_s * around_one(work->imbalance, drawn);
    co_yield result;
  }
}

}  // namespace

op::Script master_worker(const MasterWorker* work, Turn turn) {
  if (turn.self == 0) return master(work, turn);
  return worker(work, turn);
}

}  // namespace orrery::replay::workload
