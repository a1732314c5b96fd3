// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/window/effect.hpp"
#include "mpi/window/synchronise.hpp"
#include "mpi/window/target.hpp"
#include "op/sleep.hpp"

/// Passive target communication (MPI-4.1, section 12.5.3). The kernel keeps the locks, so their order is that of
/// simulated time; a rank that asks for one waits until it is granted.
namespace orrery::mpi {
namespace {

/// What MPI_Win_sync takes: a barrier of memory. A program that looks at its window in a loop must see time pass.
constexpr std::int64_t sync_ns = 100;

/// @param rank of the target, or any_source
op::Operation about_lock(op::Kind kind, const Window& window, int rank) {
  op::Operation operation;
  operation.kind = kind;
  operation.peer = rank == any_source ? op::any_source : window.comm->world(rank);
  operation.comm = window.comm->id;
  return operation;
}

void check_target_rank(const Window& window, int rank) {
  if (rank == proc_null || (rank >= 0 && rank < window.comm->size())) return;
  throw Error{err_rank, concat("there is no rank ", rank, " in a window of ", window.comm->size())};
}

void check_locked(Window& window, int rank) {
  if (window.access == Epoch::LockedAll) return;
  if (window.access != Epoch::Locked) not_now("no lock is held");
  if (rank != proc_null && target_of(window, rank).lock == Target::Lock::None) not_now("the target is not locked");
}

void check_any_lock(const Window& window) {
  if (window.access != Epoch::Locked && window.access != Epoch::LockedAll) not_now("no lock is held");
}

}  // namespace

void win_lock(int lock_type, int rank, int assertion, Window& window) {
  if (lock_type != lock_shared && lock_type != lock_exclusive) {
    throw Error{err_locktype, concat("the type of the lock is ", lock_type)};
  }
  check_target_rank(window, rank);
  check_assertion(assertion, mode_nocheck);
  if (window.access != Epoch::Locked) check_may_begin(window, "MPI_Win_lock");
  ++window.locks;
  window.access = Epoch::Locked;
  if (rank == proc_null) return;
  Target& target = target_of(window, rank);
  if (target.lock != Target::Lock::None) {
    --window.locks;
    not_now("the target is locked already");
  }
  target.lock = Target::Lock::NoCheck;
  if ((assertion & mode_nocheck) != 0) return;
  target.lock = lock_type == lock_exclusive ? Target::Lock::Exclusive : Target::Lock::Shared;
  op::Operation operation = about_lock(op::Kind::Lock, window, rank);
  if (lock_type == lock_exclusive) operation.flags |= op::Exclusive;
  this_rank().ask(operation);
}

void win_unlock(int rank, Window& window) {
  check_target_rank(window, rank);
  if (window.access != Epoch::Locked) not_now("MPI_Win_unlock without MPI_Win_lock");
  check_locked(window, rank);
  if (rank != proc_null) {
    Target& target = target_of(window, rank);
    complete_targets(window, {{rank}});
    if (target.lock != Target::Lock::NoCheck) this_rank().push(about_lock(op::Kind::Unlock, window, rank));
    target.lock = Target::Lock::None;
  }
  if (--window.locks == 0) window.access = Epoch::None;
}

void win_lock_all(int assertion, Window& window) {
  check_assertion(assertion, mode_nocheck);
  check_may_begin(window, "MPI_Win_lock_all");
  window.access = Epoch::LockedAll;
  window.all_checked = (assertion & mode_nocheck) == 0;
  if (window.all_checked) this_rank().ask(about_lock(op::Kind::Lock, window, any_source));
}

void win_unlock_all(Window& window) {
  if (window.access != Epoch::LockedAll) not_now("MPI_Win_unlock_all without MPI_Win_lock_all");
  complete_all_targets(window);
  if (window.all_checked) this_rank().push(about_lock(op::Kind::Unlock, window, any_source));
  window.access = Epoch::None;
}

void win_flush(int rank, Window& window) {
  check_target_rank(window, rank);
  check_locked(window, rank);
  if (rank != proc_null) complete_targets(window, {{rank}});
}

void win_flush_all(Window& window) {
  check_any_lock(window);
  complete_all_targets(window);
}

// In time as a flush: where memory is accessed without the target, the origin learns that its buffer is free when the
// target has the data.
void win_flush_local(int rank, Window& window) {
  check_target_rank(window, rank);
  check_locked(window, rank);
  if (rank != proc_null) complete_targets(window, {{rank}}, Completion::Local);
}

void win_flush_local_all(Window& window) {
  check_any_lock(window);
  complete_all_targets(window, Completion::Local);
}

void win_sync(Window& window) {
  // What the rank looks at may hang on an accumulate whose origin does not synchronise before the rank has seen it.
  carry_out(window.part(window.comm->rank).effects);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Rank& rank = this_rank();
  rank.progress();
  rank.push(op::sleep(sync_ns));
}

}  // namespace orrery::mpi
