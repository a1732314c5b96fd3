// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/kernel.hpp"

namespace orrery::replay {

/// Refuses operations that no MPI library would have let through, so that a damaged or invented trace ends with a word
/// and not with a crash. What the kernel checks itself is left to it.
/// @throws InputError naming the rank, the operation and what is wrong with it
void check(std::int32_t rank, const op::Operation& operation, kernel::Groups& groups, std::uint32_t ranks);

}  // namespace orrery::replay
