// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/said.hpp"

#include "collective/default_rules.hpp"
#include "collective/parts/late.hpp"

namespace orrery::collective {
namespace {

/// A number, or a word of a mask.
constexpr std::int64_t word_bytes = 4;

bool moves_data(const op::Operation& operation) {
  return operation.kind == op::Kind::Copy || operation.kind == op::Kind::Reduce;
}

op::Script without_data(op::Script part) {
  while (const op::Operation* next = part.next()) {
    if (moves_data(*next)) continue;
    op::Operation operation = *next;
    operation.here = operation.there = {};
    co_yield operation;
  }
}

}  // namespace

op::Script said(const Call& call, CollectiveKind kind, Bytes bytes, Choose otherwise, bool immediate) {
  Call part = call;
  part.kind = kind;
  part.root = 0;
  part.bytes = bytes;
  part.element = word_bytes;
  part.extent = 0;
  part.commutative = part.built_in = true;
  part.immediate = immediate;
  Choice choice = part.parts != nullptr ? part.parts->choose(part) : otherwise(part);
  if (!choice.algorithm->accepts(choice.applied_to(part))) choice = default_choice(part);  // as for a single rank
  return without_data(stream_as_seen(choice, part));
}

}  // namespace orrery::collective
