// SPDX-License-Identifier: BSD-3-Clause
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/request/request.hpp"
#include "mpi/window/synchronise.hpp"
#include "mpi/window/target.hpp"

/// Post, start, complete, wait (MPI-4.1, section 12.5.2): two empty messages between each pair, in the window's own
/// communicator. A target that posts tells its origins; an origin that completes tells its targets.
namespace orrery::mpi {
namespace {

enum Tag : int { tag_post = 1, tag_complete = 2 };

/// Ranks in the window of the members of a group.
std::vector<int> ranks_of(const Group& group, const Window& window) {
  std::vector<int> ranks;
  for (const std::int32_t world : group.world) {
    const int rank = window.comm->group->rank_of(world);
    if (rank == undefined) throw Error{err_group, concat("world rank ", world, " is not in the window's group")};
    ranks.push_back(rank);
  }
  return ranks;
}

void tell_ranks(const Window& window, const std::vector<int>& ranks, Tag tag) {
  for (const int rank : ranks) send(nullptr, 0, type_byte(), rank, tag, *window.comm);
}

std::vector<Request*> expect(const Window& window, const std::vector<int>& ranks, Tag tag) {
  std::vector<Request*> requests;
  for (const int rank : ranks) irecv(nullptr, 0, type_byte(), rank, tag, *window.comm, requests.emplace_back());
  return requests;
}

void check_exposed(const Window& window) {
  if (!window.exposed) not_now("the window is not exposed: MPI_Win_post is missing");
}

}  // namespace

void win_post(Group& group, int assertion, Window& window) {
  check_assertion(assertion, mode_nocheck | mode_nostore | mode_noput);
  if (window.exposed) not_now("MPI_Win_post while the window is exposed");
  if (window.access == Epoch::Fence) not_now("MPI_Win_post inside an epoch of MPI_Win_fence");
  const std::vector<int> origins = ranks_of(group, window);
  window.exposed = true;
  window.awaited = expect(window, origins, tag_complete);
  tell_ranks(window, origins, tag_post);
}

void win_start(Group& group, int assertion, Window& window) {
  check_assertion(assertion, mode_nocheck);
  check_may_begin(window, "MPI_Win_start");
  window.started = ranks_of(group, window);
  window.access = Epoch::Started;
  for (const int rank : window.started) target_of(window, rank).started = true;
  std::vector<Request*> posts = expect(window, window.started, tag_post);
  waitall(posts, nullptr);
}

void win_complete(Window& window) {
  if (window.access != Epoch::Started) not_now("MPI_Win_complete without MPI_Win_start");
  complete_targets(window, window.started);
  tell_ranks(window, window.started, tag_complete);
  for (const int rank : window.started) target_of(window, rank).started = false;
  window.started.clear();
  window.access = Epoch::None;
}

void win_wait(Window& window) {
  check_exposed(window);
  waitall(window.awaited, nullptr);
  window.awaited.clear();
  window.exposed = false;
}

void win_test(Window& window, bool& flag) {
  check_exposed(window);
  testall(window.awaited, flag, nullptr);
  if (!flag) return;
  window.awaited.clear();
  window.exposed = false;
}

}  // namespace orrery::mpi
