// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::launch {

/// "rank 3", "ranks 0-3, 7". @param ranks increase
[[nodiscard]] std::string ranks_text(const std::vector<std::int32_t>& ranks);

}  // namespace orrery::launch
