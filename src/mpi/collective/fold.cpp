// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/fold.hpp"

#include <utility>

#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

Operand::Operand(std::int64_t count, const Datatype& type) : data_{nullptr, count, &type} {
  const auto span = span_of(type, count);
  // The origin is to be as well aligned as the memory is, and there is room for what pads the last element: operations
  // take pairs of a value and an index as whole structures.
  constexpr std::int64_t unit = alignof(std::max_align_t);
  const auto start = span.first & -unit;
  const auto end = (span.first + span.bytes + unit - 1) & -unit;
  memory_.resize(static_cast<std::size_t>(end - start));
  data_.buffer = memory_.data() - start;
}

Fold::Fold(Op& op, std::int64_t count, Datatype& type)
    : op_(op), type_(type), total_(count, type), next_(count, type) {}

void Fold::add() {
  // The operation leaves its result in the right operand.
  if (!empty_ && next().count > 0) apply(*op_, total().buffer, next().buffer, next().count, *type_);
  empty_ = false;
  std::swap(total_, next_);
}

}  // namespace orrery::mpi
