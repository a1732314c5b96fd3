// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"
#include "mpi/window/synchronise.hpp"

namespace orrery::mpi {

/// A fence completes what this rank has under way and then is a barrier, whatever is asserted: the assertions allow to
/// leave something out, and real libraries differ in what they do leave out.
void win_fence(int assertion, Window& window) {
  check_assertion(assertion, mode_nostore | mode_noput | mode_noprecede | mode_nosucceed);
  if (window.access != Epoch::Fence) check_may_begin(window, "MPI_Win_fence");
  if (window.exposed) not_now("MPI_Win_fence while the window is exposed by MPI_Win_post");
  complete_all_targets(window);
  barrier(*window.comm);
  window.access = (assertion & mode_nosucceed) != 0 ? Epoch::None : Epoch::FenceIssued;
}

}  // namespace orrery::mpi
