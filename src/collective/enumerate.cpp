// SPDX-License-Identifier: BSD-3-Clause
#include "collective/enumerate.hpp"

#include "base/error.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/blocks.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

/// Every rank's counts: those of gatherv and scatterv belong to the root, but do no harm elsewhere.
std::vector<std::int64_t> counts_of(const WholeCall& call) {
  const auto size = static_cast<std::size_t>(call.size);
  switch (call.kind) {
    case Gatherv:
    case Scatterv:
    case Allgatherv: return std::vector<std::int64_t>(size, call.bytes.count);
    case Alltoallv:
    case Alltoallw: return std::vector<std::int64_t>(2 * size, call.bytes.count);
    case ReduceScatter: {
      const Blocks blocks = Blocks::split(call.bytes, call.element, call.size);
      std::vector<std::int64_t> counts(size);
      for (int rank = 0; rank < call.size; ++rank) counts[static_cast<std::size_t>(rank)] = blocks.bytes(rank).count;
      return counts;
    }
    default: return {};
  }
}

bool accepts(const Algorithm& algorithm, const WholeCall& whole) {
  bool all = true;
  for_each_rank(whole, [&](const Call& call) { all = all && algorithm.accepts(call); });
  return all;
}

}  // namespace

void for_each_rank(const WholeCall& whole, const std::function<void(const Call&)>& visit) {
  const std::vector<std::int64_t> counts = counts_of(whole);
  Call call{.kind = whole.kind,
            .size = whole.size,
            .root = whole.root,
            .bytes = whole.bytes,
            .element = whole.element,
            .commutative = whole.commutative,
            .immediate = whole.immediate,
            .counts = counts};
  for (call.self = 0; call.self < whole.size; ++call.self) visit(call);
}

Choice chosen(const WholeCall& whole, const Selector& selector) {
  Choice choice;
  for_each_rank(whole, [&](const Call& call) {
    if (call.self == whole.root) choice = selector.choose(call);
  });
  return choice;
}

Choice named_choice(const WholeCall& whole, std::string_view name, Bytes segment, int fanout) {
  const Algorithm* named = find(whole.kind, name);
  if (named == nullptr) named = find_openmpi(whole.kind, name);
  if (named == nullptr) {
    std::string names;
    for (const Algorithm& algorithm : algorithms())
      if (algorithm.kind == whole.kind) names += concat(names.empty() ? "" : ", ", algorithm.name);
    throw InputError(
        concat("no algorithm of ", collective::name(whole.kind), " is named \"", name, "\"; there are: ", names));
  }
  const Algorithm* serves = nullptr;
  for_each_rank(whole, [&](const Call& call) {
    if (call.self == whole.root) serves = openmpi_fallback(*named, call);
  });
  if (serves == nullptr || (serves == named && !accepts(*named, whole))) {
    throw InputError(concat(collective::name(whole.kind), " by ", name, " does not serve ", whole.size, " ranks"));
  }
  return {.algorithm = serves, .segment = segment, .fanout = fanout};
}

std::vector<MessageOf> messages(const WholeCall& whole, const Choice& choice) {
  std::vector<MessageOf> all;
  for_each_rank(whole, [&](const Call& call) {
    op::Script script = choice.algorithm->stream(choice.applied_to(call));
    int sequence = 0;
    while (const op::Operation* operation = script.next()) {
      if (operation->kind != op::Kind::Isend) continue;
      all.push_back({.source = call.self, .sequence = sequence++, .dest = operation->peer, .bytes = operation->bytes});
    }
  });
  return all;
}

}  // namespace orrery::collective
