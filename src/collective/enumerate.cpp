// SPDX-License-Identifier: BSD-3-Clause
#include "collective/enumerate.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "collective/fixed.hpp"
#include "collective/libnbc_rules.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/blocks.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

bool accepts(const Choice& choice, const WholeCall& whole) {
  bool all = true;
  for_each_rank(whole, [&](const Call& call) { all = all && choice.algorithm->accepts(choice.applied_to(call)); });
  return all;
}

[[noreturn]] void refuse_algorithm(const WholeCall& whole, std::string_view algorithm) {
  throw InputError(concat(name(whole.kind), " by ", algorithm, " does not serve ", whole.size, " ranks"));
}

/// One rank's view of the call; `counts` are those of all.
Call seen_from(int rank, const WholeCall& whole, std::span<const std::int64_t> counts) {
  return {.kind = whole.kind,
          .self = rank,
          .size = whole.size,
          .root = whole.root,
          .bytes = whole.bytes,
          .element = whole.element,
          .extent = whole.extent,
          .commutative = whole.commutative,
          .built_in = whole.built_in,
          .in_place = whole.in_place,
          .immediate = whole.immediate,
          .counts = counts,
          .places = whole.places};
}

std::uint64_t sends(const Call& call, const Choice& choice) {
  std::uint64_t count = 0;
  op::Script script = choice.algorithm->stream(choice.applied_to(call));
  while (const op::Operation* operation = script.next()) count += operation->kind == op::Kind::Isend ? 1 : 0;
  return count;
}

}  // namespace

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

void for_each_rank(const WholeCall& whole, const std::function<void(const Call&)>& visit) {
  const std::vector<std::int64_t> counts = counts_of(whole);
  for (int rank = 0; rank < whole.size; ++rank) visit(seen_from(rank, whole, counts));
}

Choice chosen(const WholeCall& whole, const Selector& selector) {
  const std::vector<std::int64_t> counts = counts_of(whole);
  return selector.choose(seen_from(whole.root, whole, counts));
}

Choice named_choice(const WholeCall& whole, std::string_view name, Bytes segment, int fanout) {
  if (name.find_first_of("(:") != std::string_view::npos) {
    Choice choice = parse_choice(whole.kind, name, name);
    if (choice.segment.count == 0 && choice.algorithm->segments) choice.segment = segment;
    if (!accepts(choice, whole)) refuse_algorithm(whole, name);
    choice.by = Decider::Fixed;
    return served(whole, choice);
  }
  const Algorithm* named = whole.immediate ? find_libnbc(whole.kind, name) : nullptr;
  if (named == nullptr) named = find(whole.kind, name);
  if (named == nullptr) named = find_openmpi(whole.kind, name);
  if (named == nullptr) named = find_mpich(whole.kind, name, whole.immediate);
  if (named == nullptr) {
    std::string names;
    for (const Algorithm& algorithm : algorithms())
      if (algorithm.kind == whole.kind) names += concat(names.empty() ? "" : ", ", algorithm.name);
    throw InputError(
        concat("no algorithm of ", collective::name(whole.kind), " is named \"", name, "\"; there are: ", names));
  }
  const std::vector<std::int64_t> counts = counts_of(whole);
  const Call at_root = seen_from(whole.root, whole, counts);
  const Algorithm* serves = whole.immediate ? libnbc_fallback(*named, at_root) : openmpi_fallback(*named, at_root);
  if (serves == nullptr || (serves == named && !accepts({.algorithm = named}, whole))) refuse_algorithm(whole, name);
  Choice choice{.algorithm = serves, .segment = segment, .fanout = fanout, .by = Decider::Fixed};
  if (serves != named)
    choice.instead_of = {.algorithm = named->name, .why = named->refusal(at_root), .by = Decider::Fixed};
  return after_hand_overs(choice, at_root);
}

Choice served(const WholeCall& whole, Choice choice) {
  const std::vector<std::int64_t> counts = counts_of(whole);
  return after_hand_overs(choice, seen_from(whole.root, whole, counts));
}

std::vector<Choice> accepting(const WholeCall& whole) {
  std::vector<Choice> found;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.kind == whole.kind && accepts({.algorithm = &algorithm}, whole))
      found.push_back({.algorithm = &algorithm});
  return found;
}

std::uint64_t estimated_messages(const WholeCall& whole, const Choice& choice) {
  const std::vector<std::int64_t> counts = counts_of(whole);
  std::uint64_t busiest = 0;
  for (const int rank : std::set{0, std::min(1, whole.size - 1), whole.size / 2, whole.size - 1})
    if (rank != whole.root) busiest = std::max(busiest, sends(seen_from(rank, whole, counts), choice));
  const auto others = static_cast<std::uint64_t>(whole.size - 1);
  return sends(seen_from(whole.root, whole, counts), choice) + others * busiest;
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
