// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/stage.hpp"

namespace orrery::collective {

/// An operand on its way up through the stages of a hierarchical reduction: what this rank has reduced so far lies in
/// one of two places in scratch memory while the next result comes into the other.
class Climb {
 public:
  explicit Climb(Slice operand) : operand_(operand) {}

  /// Where the result of the next stage may come.
  [[nodiscard]] Region next() const {
    const bool at_first = operand_.region.buffer == op::Buffer::Scratch && operand_.region.offset == 0;
    return at_first ? second() : scratch;
  }
  [[nodiscard]] StageCall reduction(CollectiveKind kind, Region result) const {
    return {kind, operand_.bytes, {.input = operand_.region, .output = result, .scratch = second() + operand_.bytes}};
  }
  void reached(Region result) { operand_.region = result; }

 private:
  [[nodiscard]] Region second() const { return scratch + operand_.bytes; }

  Slice operand_;
};

}  // namespace orrery::collective
