// SPDX-License-Identifier: BSD-3-Clause
#include "collective/dynamic_rules.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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

namespace {

bool are(RankDistribution wanted, const Call& call) {
  if (wanted == RankDistribution::Any) return true;
  const Nodes* nodes = call.places == nullptr ? nullptr : call.places->nodes();
  const int count = nodes == nullptr ? call.size : nodes->count();
  return count == (wanted == RankDistribution::OnePerNode ? call.size : 1);
}

bool fits(const DynamicRules& rules, const Call& call) {
  return rules.kind == call.kind && rules.size_from <= call.size && call.size <= rules.size_to &&
         are(rules.ranks, call);
}

}  // namespace

Choice dynamic_choice(std::span<const DynamicRules> sets, const Call& call) {
  const auto set = std::ranges::find_if(sets, [&](const DynamicRules& candidate) { return fits(candidate, call); });
  if (set == sets.end()) return {};
  const std::int64_t bytes = dynamic_bytes(call);
  const auto rule = std::ranges::find_if(set->rules, [&](const DynamicRule& candidate) {
    return candidate.bytes_from <= bytes && bytes <= candidate.bytes_to;
  });
  if (rule == set->rules.end()) return {};
  Choice choice = rule->choice;
  choice.by = Decider::Rules;
  if (choice.algorithm == nullptr) return choice;
  const Algorithm* asked = std::exchange(choice.algorithm, openmpi_fallback(*choice.algorithm, call));
  if (choice.algorithm != asked)
    choice.instead_of = {.algorithm = asked->name, .why = asked->refusal(call), .by = Decider::Rules};
  return choice;
}

}  // namespace orrery::collective
