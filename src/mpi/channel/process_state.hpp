// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::mpi::channel {

/// What the system says of a process (proc(5)).
struct ProcessState {
  bool asleep = true;         ///< all of its threads, until they are woken
  bool has_children = false;  ///< as far as the system tells
  std::uint64_t ticks = 0;    ///< processor time that it has used
};

/// None if the process has ended. Cost: a few files for each of its threads.
[[nodiscard]] std::optional<ProcessState> state_of(pid_t process);

/// Processor time of a thread, seconds, which it has used at least: of a process with several threads the system may
/// say a few milliseconds less. None if the process has ended, or the system does not say.
/// @param thread its number; 0: the thread that has used most
[[nodiscard]] std::optional<double> processor_time_s(pid_t process, pid_t thread);

/// Processor time that a process has used, in ticks of the system.
struct Ticks {
  std::uint64_t all = 0;
  std::uint64_t system = 0;  ///< of these, in system calls
};

/// Zeros if the process has ended.
[[nodiscard]] Ticks ticks_of(pid_t process);

/// Whether the process has mapped memory that it may write, and share with others, besides the files of this name.
[[nodiscard]] bool shares_memory(pid_t process, std::string_view except);

}  // namespace orrery::mpi::channel
