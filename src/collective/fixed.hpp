// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "collective/collective.hpp"

namespace orrery::collective {

/// Whether an algorithm obeys `Call::fanout`: chains beside each other, the radix of a tree, or requests at a time.
[[nodiscard]] bool fans_out(const Algorithm& algorithm);

/// What the user has fixed, per kind; no algorithm where nothing is fixed.
using FixedChoices = std::array<Choice, op::collective_kinds>;

/// Reads "algorithm[(levels=LEVEL+...,inner=algorithm,outer=algorithm)][:segment=SIZE][:fanout=NUMBER]", SIZE being a
/// number with an optional B, KiB, MiB or GiB. What is in parentheses is for hierarchical algorithms, and each argument
/// may be left out.
/// @param part what the user wrote, for messages   @throws InputError naming what is wrong and what would be right
[[nodiscard]] Choice parse_choice(CollectiveKind kind, std::string_view text, std::string_view part);

/// What `spelled` has made this text of; nothing if there is no such algorithm of that kind, or not with such options.
[[nodiscard]] std::optional<Choice> recognised(CollectiveKind kind, std::string_view text);

/// Reads "kind=" and a choice, several separated by commas.
/// @throws InputError naming the part that is wrong and what would be right
[[nodiscard]] FixedChoices parse_fixed(std::string_view text);

/// The algorithm and its parameters as `parse_choice` reads them.
[[nodiscard]] std::string spelled(const Choice& choice);

}  // namespace orrery::collective
