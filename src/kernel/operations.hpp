// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/components.hpp"

namespace orrery::kernel {

/// Which component deals with an operation.
struct Handler {
  using Step = void (*)(Components& components, std::uint32_t cursor);

  op::Kind kind = op::Kind::Nothing;
  Step begin = nullptr;
  Step resume = nullptr;  ///< when the cursor has waited in it; null: it never waits
};

/// Of the cursor's present operation. @throws InputError for a kind that does not exist, as a damaged trace may have
[[nodiscard]] const Handler& handler_of(const Cursor& cursor);

}  // namespace orrery::kernel
