// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/lanes.hpp"

#include "collective/default_rules.hpp"
#include "collective/parts/blocks.hpp"

namespace orrery::collective {

Lanes::Lanes(const Call& call, int root) : call_(call), levels_(call, root) {
  const Blocks blocks = Blocks::split(call.bytes, call.element, levels_.low.size());
  for (int lane = 0; lane < blocks.count(); ++lane) counts_.push_back(blocks.bytes(lane).count);
  before_ = blocks.offset(levels_.low.self);
}

TeamCall Lanes::inside(CollectiveKind kind) const {
  Call whole = call_;
  whole.counts = counts_;
  const Bytes bytes = kind == CollectiveKind::ReduceScatter ? call_.bytes : block();
  return {whole, levels_.low, kind, bytes, default_choice};
}

TeamCall Lanes::between(CollectiveKind kind) const { return {call_, levels_.up, kind, block(), default_choice}; }

}  // namespace orrery::collective
