// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace orrery::mpi {

/// Waits until a descriptor is ready for `events` of poll(2), as `poll` does for programs.
/// @return false: time is up, or a signal came (errno is EINTR then, otherwise EAGAIN)
bool wait_for_descriptor(int descriptor, short events, std::int64_t limit_ns);

}  // namespace orrery::mpi
