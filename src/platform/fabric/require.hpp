// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace orrery::platform {

// Written so that NaN fails every test.
inline void require_positive(const std::string& where, std::string_view field, double value) {
  if (!(value > 0 && std::isfinite(value)))
    throw InputError(concat(where, ": ", field, " is ", value, ", but must be positive"));
}

inline void require_not_negative(const std::string& where, std::string_view field, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    throw InputError(concat(where, ": ", field, " is ", value, ", but must not be negative"));
}

/// The product of two counts. @throws InputError if a count or the product exceeds 2^28
[[nodiscard]] inline std::uint32_t product(const std::string& where, std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  if (a > most || b > most || a * b > most)
    throw InputError(concat(where, ": more than ", most, " nodes, switches or links; make it smaller"));
  return static_cast<std::uint32_t>(a * b);
}

inline void require_room(const std::string& where, std::uint64_t places, std::uint32_t nodes) {
  if (nodes > places)
    throw InputError(concat(where, ": has room for ", places, " nodes, not for ", nodes, "; make it larger"));
}

}  // namespace orrery::platform
