// SPDX-License-Identifier: BSD-3-Clause
#include "collective/dynamic_rules.hpp"

#include <algorithm>
#include <numeric>

#include "collective/openmpi_rules.hpp"

namespace orrery::collective {

using enum op::CollectiveKind;

std::int64_t dynamic_bytes(const Call& call) {
  switch (call.kind) {
    case Allgather:
    case Alltoall:
    case Gather:
    case Scatter:
    case ReduceScatterBlock: return call.bytes.count * call.size;
    case Allgatherv: return std::accumulate(call.counts.begin(), call.counts.end(), std::int64_t{0}) / call.size;
    case Scan:
    case Exscan: return call.element * call.size;
    case Barrier:
    case Alltoallv: return 0;
    default: return call.bytes.count;
  }
}

Choice dynamic_choice(std::span<const DynamicRules> sets, const Call& call) {
  const auto set = std::ranges::find_if(sets, [&](const DynamicRules& one) {
    return one.kind == call.kind && one.size_from <= call.size && call.size <= one.size_to;
  });
  if (set == sets.end()) return {};
  const std::int64_t bytes = dynamic_bytes(call);
  const auto rule = std::ranges::find_if(
      set->rules, [&](const DynamicRule& one) { return one.bytes_from <= bytes && bytes <= one.bytes_to; });
  if (rule == set->rules.end() || rule->choice.algorithm == nullptr) return {};
  Choice choice = rule->choice;
  choice.algorithm = openmpi_fallback(*choice.algorithm, call);
  return choice;
}

}  // namespace orrery::collective
