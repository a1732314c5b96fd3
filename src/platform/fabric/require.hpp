// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace orrery::platform {

/// The product of two counts. @throws InputError if a count or the product exceeds 2^28
[[nodiscard]] inline std::uint32_t product(const std::string& where, std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  if (a > most || b > most || a * b > most)
    throw InputError(concat(where, ": more than ", most, " nodes, switches or links; make it smaller"));
  return static_cast<std::uint32_t>(a * b);
}

/// How many nodes there are: as many as there are places, unless it is said. @throws InputError for more than that
[[nodiscard]] inline std::uint32_t fitting(const std::string& where, std::uint32_t places,
                                           std::optional<std::uint32_t> nodes) {
  if (nodes.value_or(places) > places)
    throw InputError(concat(where, ": has room for ", places, " nodes, not for ", *nodes, "; make it larger"));
  return nodes.value_or(places);
}

}  // namespace orrery::platform
