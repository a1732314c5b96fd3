// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/synchronise.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/window/effect.hpp"
#include "mpi/window/target.hpp"

namespace orrery::mpi {

void not_now(const char* what) { throw Error{err_rma_sync, what}; }

void check_assertion(int assertion, int allowed) {
  if ((assertion & ~allowed) != 0) throw Error{err_assert, concat("the assertion is ", assertion)};
}

void check_may_access(Window& window, int rank) {
  switch (window.access) {
    case Epoch::None: not_now("no epoch allows to access the window");
    case Epoch::FenceIssued: window.access = Epoch::Fence; return;
    case Epoch::Fence:
    case Epoch::LockedAll: return;
    case Epoch::Started:
      if (rank != proc_null && !target_of(window, rank).started) not_now("MPI_Win_start did not name the target");
      return;
    case Epoch::Locked:
      if (rank != proc_null && target_of(window, rank).lock == Target::Lock::None) not_now("the target is not locked");
      return;
  }
}

void check_may_begin(const Window& window, const char* what) {
  if (window.access == Epoch::None || window.access == Epoch::FenceIssued) return;
  throw Error{err_rma_sync, concat(what, " inside another access epoch")};
}

void check_may_end(const Window& window) {
  check_may_begin(window, "the window is freed");
  if (window.exposed) not_now("the window is freed while it is exposed: MPI_Win_wait is missing");
}

void complete_targets(Window& window, std::span<const int> ranks, Completion completion) {
  Rank& self = this_rank();
  std::vector<op::RequestId> ids;
  bool settles = false;
  for (const int rank : ranks) {
    Target& target = target_of(window, rank);
    settles |= completion == Completion::Remote ? target.ordered : target.results;
    if (target.outstanding == 0) continue;
    ids.push_back(std::exchange(target.outstanding, 0));
  }
  if (!ids.empty()) self.push({.kind = op::Kind::WaitAll, .requests = ids});
  // Only now: another thread that gets one of them would wait for what this one waits for.
  for (const op::RequestId id : ids) self.free_request_id(id);
  if (!settles) return;
  // Answered after the wait is over: by then the kernel has told the order of all that was waited for.
  self.ask({.kind = op::Kind::Clock});
  for (const int rank : ranks) settle_effects(window, rank);
  window.staged.complete(ranks);
}

void complete_all_targets(Window& window, Completion completion) {
  std::vector<int> ranks;
  for (const auto& [rank, target] : window.targets) {
    if (target.outstanding != 0 || target.ordered) ranks.push_back(rank);
  }
  complete_targets(window, ranks, completion);
}

}  // namespace orrery::mpi
