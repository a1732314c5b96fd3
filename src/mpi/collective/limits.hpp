// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

/// Up to here one copy in shared memory serves all receivers; beyond, each fetches its piece from the sender.
inline constexpr std::int64_t largest_shared = 4 << 20;

/// What is wrong when more comes than there is room for.
[[nodiscard]] inline Error does_not_fit(std::int64_t sent, std::int64_t room) {
  return {err_truncate, concat(sent, " bytes were sent, the receive buffer has room for ", room)};
}

}  // namespace orrery::mpi
