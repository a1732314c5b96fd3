// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace orrery::mpi {

/// MPI_Wtime: simulated seconds since the start of the run.
[[nodiscard]] double wtime();
/// MPI_Wtick: the resolution of `wtime`, in seconds.
[[nodiscard]] double wtick();

/// The host's clocks, never the simulated ones: for the library's own use.
namespace host_clock {
[[nodiscard]] std::int64_t monotonic_ns();
[[nodiscard]] std::int64_t thread_cpu_ns();  ///< processor time of the calling thread
}  // namespace host_clock

/// From now on the program's clocks follow simulated time, if the launcher wishes so. Called at the end of MPI_Init.
void start_simulated_clocks();

}  // namespace orrery::mpi
