// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/late.hpp"

namespace orrery::collective {

op::Script seen_late(op::Script call, std::int64_t late_ns) {
  co_yield std::move(call);
  if (late_ns > 0) co_yield op::Operation{.kind = op::Kind::Sleep, .bytes = {late_ns}};
}

}  // namespace orrery::collective
