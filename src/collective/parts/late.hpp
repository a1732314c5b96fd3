// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "op/script.hpp"

namespace orrery::collective {

/// A non-blocking call whose end the rank sees so much later.
[[nodiscard]] op::Script seen_late(op::Script call, std::int64_t late_ns);

}  // namespace orrery::collective
