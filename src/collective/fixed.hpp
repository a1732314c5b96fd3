// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "collective/collective.hpp"

namespace orrery::collective {

/// What the user has fixed, per kind; no algorithm where nothing is fixed.
using FixedChoices = std::array<Choice, op::collective_kinds>;

/// Reads "kind=algorithm[:segment=SIZE][:fanout=NUMBER],...", SIZE being a number with an optional B, KiB, MiB or GiB.
/// @throws InputError naming the part that is wrong and what would be right
[[nodiscard]] FixedChoices parse_fixed(std::string_view text);

/// The algorithm and its parameters as `parse_fixed` reads them after "kind=".
[[nodiscard]] std::string spelled(const Choice& choice);

}  // namespace orrery::collective
