// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "mpi/channel.hpp"

/// Access to the shared memory through its descriptor: for bytes that a process touches once, here and there, whose
/// pages would all have to be mapped.
namespace orrery::mpi::channel {

/// Whether the descriptor is still that of the shared memory: a program may have closed it, and opened a file of its
/// own.
[[nodiscard]] bool has_descriptor(const Memory& memory);

/// What the system does not copy is copied through the mapping.
void copy_out(const Memory& memory, Offset from, std::span<std::byte> to);
void copy_in(Memory& memory, std::span<const std::byte> from, Offset to);

}  // namespace orrery::mpi::channel
