// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "mpi/window/window_object.hpp"

/// Epochs: what is allowed when, and how what is under way is completed.
namespace orrery::mpi {

/// @throws Error (MPI_ERR_RMA_SYNC) when no epoch allows to access the rank; the first access after a fence begins one
void check_may_access(Window& window, int rank);
/// @throws Error (MPI_ERR_RMA_SYNC) unless the window is between epochs
void check_may_end(const Window& window);
/// @throws Error (MPI_ERR_RMA_SYNC) unless an epoch of active target communication, or of locks, may begin
void check_may_begin(const Window& window, const char* what);
/// @throws Error (MPI_ERR_ASSERT) when there are other bits than those of `allowed`
void check_assertion(int assertion, int allowed);
/// @throws Error (MPI_ERR_RMA_SYNC), saying what
[[noreturn]] void not_now(const char* what);

enum class Completion : std::uint8_t {
  Local,   ///< buffers of the program may be used again; accumulates without results may be left to happen later
  Remote,  ///< all has happened
};
/// Waits, in simulated time, for all operations of this rank on these targets, and for their results.
/// @throws Error when one of them failed at the target
void complete_targets(Window& window, std::span<const int> ranks, Completion completion = Completion::Remote);
void complete_all_targets(Window& window, Completion completion = Completion::Remote);

}  // namespace orrery::mpi
