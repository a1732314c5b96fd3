// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// Which algorithm Open MPI's component `libnbc` (4.1 and 5.0 alike, without settings of the user's) chooses for a
/// non-blocking call; persistent ones use it too.
namespace orrery::collective {

[[nodiscard]] Choice libnbc_choice(const Call& call);

/// The algorithm that `libnbc` runs when it is told to use one that does not serve the call; else the same one.
[[nodiscard]] const Algorithm* libnbc_fallback(const Algorithm& algorithm, const Call& call);

}  // namespace orrery::collective
