// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "op/op.hpp"

namespace orrery::collective {

/// Whether a call of this kind names a root.
[[nodiscard]] constexpr bool is_rooted(op::CollectiveKind kind) {
  switch (kind) {
    case op::CollectiveKind::Bcast:
    case op::CollectiveKind::Reduce:
    case op::CollectiveKind::Gather:
    case op::CollectiveKind::Gatherv:
    case op::CollectiveKind::Scatter:
    case op::CollectiveKind::Scatterv: return true;
    default: return false;
  }
}

}  // namespace orrery::collective
