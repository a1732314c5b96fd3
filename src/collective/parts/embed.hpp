// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/root.hpp"
#include "collective/parts/slice.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// Where the buffers of a call lie that is part of another one.
struct Placed {
  Region input = collective::input;
  Region output = collective::output;
  Region scratch = collective::scratch;
};

/// The stream of another call, with its buffers at the places given.
[[nodiscard]] op::Script embed(op::Script part, Placed buffers);

/// The stream of another call, whose ranks are relative ones.
[[nodiscard]] op::Script renumbered(op::Script part, FromRoot ranks);

}  // namespace orrery::collective
