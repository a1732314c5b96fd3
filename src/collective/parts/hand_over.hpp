// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

/// What `Algorithm::hands_over` looks at and says.
namespace orrery::collective {

inline constexpr std::string_view fewer_elements_than_ranks = "there are fewer elements than ranks";
inline constexpr std::string_view does_not_commute = "the operation does not commute";

/// Whole elements of the call's vector.
[[nodiscard]] inline std::int64_t elements_of(const Call& call) { return call.bytes.count / call.element; }

/// Vectors that cannot be cut into an element per rank are left to another algorithm.
[[nodiscard]] inline HandOver hands_short_to(std::string_view to, const Call& call) {
  return elements_of(call) < call.size ? HandOver{to, fewer_elements_than_ranks} : HandOver{};
}

}  // namespace orrery::collective
