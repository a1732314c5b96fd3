// SPDX-License-Identifier: BSD-3-Clause
#include "prepared.hpp"

#include <algorithm>

namespace orrery::deploy {

Prepared::Prepared(const collective::Algorithm& algorithm, const collective::Call& call)
    : algorithm_(&algorithm), call_(call), serves_(algorithm.accepts(call)) {
  if (!serves_) return;
  op::Script script = algorithm.stream(call);
  while (const op::Operation* operation = script.next()) keep(*operation);
}

void Prepared::keep(const op::Operation& operation) {
  constexpr std::size_t most = 1 << 16;
  for (const op::Region region : {operation.here, operation.there})
    if (region.buffer == op::Buffer::Scratch)
      scratch_bytes_ = std::max(scratch_bytes_, region.offset + operation.bytes.count);
  if (operation.kind == op::Kind::WaitAny || operations_.size() == most) {
    kept_ = false;
    operations_ = {};
    lists_ = {};
  }
  if (!kept_) return;
  operations_.push_back(operation);
  if (operation.requests.empty()) return;
  lists_.emplace_back(operation.requests.begin(), operation.requests.end());
  operations_.back().requests = lists_.back();
}

}  // namespace orrery::deploy
