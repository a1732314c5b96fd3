// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/stage.hpp"

#include <utility>

#include "collective/default_rules.hpp"

namespace orrery::collective {
namespace {

op::Script flat(const Call& part, const PartChoice& wanted) {
  const Algorithm* algorithm = wanted.algorithm.empty() ? nullptr : find(part.kind, wanted.algorithm);
  if (algorithm == nullptr || algorithm->topology || !algorithm->accepts(part)) {
    const Choice choice = default_choice(part);
    return choice.algorithm->stream(choice.applied_to(part));
  }
  Call applied = part;
  applied.segment = algorithm->segments ? wanted.segment : Bytes{};
  applied.fanout = wanted.fanout;
  return algorithm->stream(applied);
}

}  // namespace

op::Script in_stage(const Call& call, const Stage& stage, const StageCall& part) {
  Call flat_call = call;
  flat_call.kind = part.kind;
  flat_call.self = stage.self;
  flat_call.size = stage.count;
  flat_call.root = stage.root;
  flat_call.bytes = part.bytes;
  flat_call.counts = part.counts;
  flat_call.segment = {};
  flat_call.fanout = 0;
  flat_call.places = nullptr;
  const PartChoice& wanted = is_outermost(stage) ? call.hierarchy.outer : call.hierarchy.inner;
  return embed(flat(flat_call, wanted), part.buffers, {&grouping_of(call), stage.group, call.root});
}

std::vector<std::int64_t> unequal_counts(const Grouping& grouping, const Stage& stage, Bytes block) {
  const int first = grouping.group(stage.group).first_child;
  std::vector<std::int64_t> counts;
  bool equal = true;
  for (int child = first; child < first + stage.count; ++child) {
    equal = equal && grouping.group(child).ranks == grouping.group(first).ranks;
    counts.push_back(block.count * grouping.group(child).ranks);
  }
  if (equal) counts.clear();
  return counts;
}

}  // namespace orrery::collective
