// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace orrery::platform {

inline constexpr std::uint64_t most_counted = std::uint64_t{1} << 28;

/// A count, such as a sum. @throws InputError if it exceeds 2^28
[[nodiscard]] inline std::uint32_t counted(const std::string& where, std::uint64_t count) {
  if (count > most_counted)
    throw InputError(concat(where, ": more than ", most_counted, " nodes, switches or links; make it smaller"));
  return static_cast<std::uint32_t>(count);
}

/// The product of two counts. @throws InputError if a count or the product exceeds 2^28
[[nodiscard]] inline std::uint32_t product(const std::string& where, std::uint64_t a, std::uint64_t b) {
  return counted(where, a > most_counted || b > most_counted ? most_counted + 1 : a * b);
}

/// How many nodes there are: as many as there are places, unless it is said. @throws InputError for more than that
[[nodiscard]] inline std::uint32_t fitting(const std::string& where, std::uint32_t places,
                                           std::optional<std::uint32_t> nodes) {
  if (nodes.value_or(places) > places)
    throw InputError(concat(where, ": has room for ", places, " nodes, not for ", *nodes, "; make it larger"));
  return nodes.value_or(places);
}

}  // namespace orrery::platform
