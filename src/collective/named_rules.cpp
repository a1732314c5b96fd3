// SPDX-License-Identifier: BSD-3-Clause
#include "collective/named_rules.hpp"

#include <algorithm>

#include "collective/dynamic_rules.hpp"

namespace orrery::collective {

using enum op::CollectiveKind;

std::int64_t named_bytes(const Call& call) {
  switch (call.kind) {
    case Allgatherv: return dynamic_bytes(call);
    case Barrier:
    case Gatherv:
    case Scatterv:
    case Alltoallv:
    case Alltoallw: return 0;
    default: return call.bytes.count;
  }
}

Choice choice_by(std::span<const NamedRule> rules, const Call& call) {
  const std::int64_t bytes = named_bytes(call);
  const auto rule = std::ranges::find_if(rules, [&](const NamedRule& candidate) {
    return candidate.kind == call.kind && candidate.size_from <= call.size && call.size <= candidate.size_to &&
           candidate.bytes_from <= bytes && bytes <= candidate.bytes_to;
  });
  if (rule == rules.end()) return {};
  Choice choice = rule->choice;
  choice.by = Decider::Rules;
  return choice;
}

}  // namespace orrery::collective
