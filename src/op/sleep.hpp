// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>

#include "op/op.hpp"

/// The operation Sleep, whose time lies in fields that hold something else in other operations.
namespace orrery::op {

[[nodiscard]] constexpr Operation sleep(std::int64_t ns) { return {.kind = Kind::Sleep, .bytes = {ns}}; }

/// The rank went on for so long without the kernel: see `Late`.
[[nodiscard]] constexpr Operation late_sleep(double s) {
  return {.kind = Kind::Sleep, .flags = Late, .element = std::bit_cast<std::int64_t>(s)};
}

/// How long a Sleep takes.
[[nodiscard]] constexpr Duration length_of(const Operation& sleep) {
  constexpr double s_per_ns = 1e-9;
  if (sleep.has(Late)) return {std::bit_cast<double>(sleep.element)};
  return {static_cast<double>(sleep.bytes.count) * s_per_ns};
}

}  // namespace orrery::op
