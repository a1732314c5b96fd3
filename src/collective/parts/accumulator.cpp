// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/accumulator.hpp"

#include <utility>

#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

op::Operation reduction(Region into, Region from, Bytes bytes) {
  return {.kind = op::Kind::Reduce, .bytes = bytes, .here = into, .there = from};
}

}  // namespace

op::Batch<2> Accumulator::absorb_from(int peer, Slice arrived) {
  op::Batch<2> batch;
  if (arrived.bytes.count == 0) return batch;
  const std::int64_t offset = arrived.region.offset - incoming_.offset;
  const bool from_below = peer < self_;
  if (value_is_input()) {
    if (from_below && !commutative_) {
      batch.add({.kind = op::Kind::Copy, .bytes = arrived.bytes, .here = other_ + offset, .there = value_ + offset});
      batch.add(reduction(other_ + offset, incoming_ + offset, arrived.bytes));
      value_ = other_;
    } else {
      batch.add(reduction(incoming_ + offset, value_ + offset, arrived.bytes));
      value_ = std::exchange(incoming_, other_);
    }
  } else if (from_below || commutative_) {
    batch.add(reduction(value_ + offset, incoming_ + offset, arrived.bytes));
  } else {
    batch.add(reduction(incoming_ + offset, value_ + offset, arrived.bytes));
    std::swap(value_, incoming_);
  }
  return batch;
}

op::Batch<1> Accumulator::place(Region base, Slice part) const {
  if (base.buffer == value_.buffer && base.offset == value_.offset) return {};
  return copy(base + (part.region.offset - value_.offset), part);
}

}  // namespace orrery::collective
