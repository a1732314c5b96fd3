// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>

namespace orrery::mpi {

/// Reads how often a timer of the program has fired, waiting for it if its descriptor does, as read(2) does.
/// @return none: the descriptor is no timer that follows simulated time
[[nodiscard]] std::optional<ssize_t> read_timer(int descriptor, void* to, std::size_t bytes);

}  // namespace orrery::mpi
