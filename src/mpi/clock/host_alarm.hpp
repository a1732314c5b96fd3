// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// A signal of the host for times of simulated time that come while the program computes, or waits in a way that is
/// not replaced. What passed meanwhile is computation, where the thread had the processor, otherwise a wait, which
/// takes as long as on the host.
namespace orrery::mpi::host_alarm {

/// Answer of a handler that could not look: it is asked again in a moment.
inline constexpr std::int64_t soon = -1;

/// Called in the handler of the signal, in the thread that has initialised MPI, outside of the library.
/// @param now_ns simulated time by now, as far as known
/// @return when the alarm rings next; `for_ever`: not any more
using Ring = std::int64_t (*)(std::int64_t now_ns);

/// Rings at `at_ns`, if it is `now_ns` now, both of simulated_clock::now_ns. Replaces what was asked for before.
/// @param restarts whether system calls that are interrupted are to go on (SA_RESTART)
void ring(std::int64_t now_ns, std::int64_t at_ns, bool restarts, Ring handler);
void stop();

}  // namespace orrery::mpi::host_alarm
