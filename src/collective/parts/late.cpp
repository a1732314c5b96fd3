// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/late.hpp"
#include "op/sleep.hpp"

#include <utility>

namespace orrery::collective {
namespace {

op::Script later(op::Script call, std::int64_t late_ns) {
  co_yield std::move(call);
  co_yield op::sleep(late_ns);
}

}  // namespace

op::Script stream_as_seen(const Choice& choice, const Call& call) {
  op::Script stream = choice.algorithm->stream(choice.applied_to(call));
  const bool alone = call.size + call.remote_size == 1;
  if (!call.immediate || call.late_ns == 0 || alone || call.kind == CollectiveKind::NewComm) return stream;
  return later(std::move(stream), call.late_ns);
}

}  // namespace orrery::collective
