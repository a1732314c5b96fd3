// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>

/// Clocks: MPI's own, the host's, and those of the C library. Its clocks, sleeps, timers and waits with a time limit
/// follow simulated time instead: table.hpp lists the functions, of which each file `*_waits.cpp` replaces a few.
namespace orrery::mpi {

class Rank;

/// MPI_Wtime: simulated seconds since the start of the run; of a process that runs alone, seconds of the host.
[[nodiscard]] double wtime();
/// MPI_Wtick: the resolution of `wtime`, in seconds.
[[nodiscard]] double wtick();

/// The host's clocks, never the simulated ones: for the library's own use.
namespace host_clock {
int gettime(clockid_t clock, timespec* time);  ///< as clock_gettime
[[nodiscard]] std::int64_t read_ns(clockid_t clock);
[[nodiscard]] std::int64_t monotonic_ns();
[[nodiscard]] std::int64_t thread_cpu_ns();  ///< processor time of the calling thread
}  // namespace host_clock

/// From now on the program's clocks follow the simulated time of `rank`, if the launcher wishes so. The calling thread
/// is the one that may ask the kernel; others read the time that was last heard of.
void start_simulated_clocks(Rank& rank);
/// The host's clocks again, in a process that is no rank.
void stop_simulated_clocks();

}  // namespace orrery::mpi
