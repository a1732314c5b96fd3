// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernel/kernel.hpp"
#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// Report of a deadlock for people, several lines, without a newline at its end: the circle of ranks first, each with
/// its call and whom it waits for, then all that wait, ranks in the same situation on one line, at most 20 lines.
///
/// @param routine_names by op::RoutineId; a number beyond it prints as "routine 12"
[[nodiscard]] std::string describe(const kernel::Deadlock& deadlock, std::span<const std::string_view> routine_names);

/// Report on ranks that wait for data of each other that none of them has sent (mpi/channel/standstill.hpp).
[[nodiscard]] std::string describe_standstill(const mpi::channel::Memory& memory,
                                              std::span<const std::string_view> routine_names);

}  // namespace orrery::launch
