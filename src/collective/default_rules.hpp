// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

namespace orrery::collective {

/// What the selector "default" chooses, with nothing fixed; no algorithm where the call lacks its counts.
[[nodiscard]] Choice default_choice(const Call& call);

}  // namespace orrery::collective
