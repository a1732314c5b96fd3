// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

/// Limits of the lines in tables of rules.
namespace orrery::collective {

inline constexpr std::int64_t any_bytes = std::numeric_limits<std::int64_t>::max();
inline constexpr int any_size = std::numeric_limits<int>::max();
inline constexpr std::int64_t KiB = 1024;

}  // namespace orrery::collective
