// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collective/collective.hpp"
#include "op/script.hpp"

/// Calls made slice by slice.
namespace orrery::collective {

/// Slices that are under way at once.
inline constexpr int slices_at_once = 16;

/// What ranks give: an operand of a reduction whose result is as long, the same block to all, or one to each.
enum class Gives : std::uint8_t { Operand, OneBlock, BlockToEach };

/// The hierarchical algorithm of the call's kind once for each slice of the blocks, as its segment size says. Slices go
/// on as their messages come: while one is on one level, others are on the levels before and behind it. Every rank has
/// room for the slices that are under way.
[[nodiscard]] op::Script in_slices(Call call, Gives gives);

/// Whether there are several.
[[nodiscard]] bool has_slices(const Call& call);

}  // namespace orrery::collective
