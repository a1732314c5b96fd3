// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "kernel/components.hpp"

namespace orrery::kernel {

/// Which component deals with an operation.
struct Handler {
  using Step = void (*)(Components& components, CursorIndex cursor);

  op::Kind kind = op::Kind::Nothing;
  Step begin = nullptr;
  Step resume = nullptr;  ///< when the cursor has waited in it; null: it never waits
};

using op::operation_kinds;

/// By kind: the rows of operations.cpp.
extern const std::array<Handler, operation_kinds> handlers;

[[noreturn]] void refuse_operation(const Cursor& cursor);

/// Handler of the cursor's present operation.
/// @throws InputError for a kind that does not exist, as a damaged trace may have
[[nodiscard]] inline const Handler& handler_of(const Cursor& cursor) {
  const auto kind = static_cast<std::size_t>(cursor.current->kind);
  if (kind >= operation_kinds) refuse_operation(cursor);
  return handlers[kind];
}

}  // namespace orrery::kernel
