// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/slice.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// The running result of a reduction on one rank: it starts as the operand in the input, which is never written, and
/// then lives in one of two places while operands of other ranks arrive in the other. Operands may arrive from below or
/// above; the two places change roles where that saves a copy, so ask for them anew after each arrival.
class Accumulator {
 public:
  /// @param home where the result is wanted: there it ends without a copy if the operation commutes
  /// @param spare as long as the input, like `home`
  Accumulator(int self, bool commutative, Region home, Region spare)
      : self_(self), commutative_(commutative), incoming_(home), other_(spare) {}

  [[nodiscard]] Region value() const { return value_; }
  [[nodiscard]] Region incoming() const { return incoming_; }

  /// Combines the operand that has arrived at a slice of `incoming` with the same slice of `value`. After that only
  /// this slice of `value` is valid, unless the operation commutes and it was not the first to arrive.
  /// @param peer where it comes from: it must stand for ranks that are all below or all above those of the value
  [[nodiscard]] op::Batch<2> absorb_from(int peer, Slice arrived);

  /// Copies a slice of `value` to the same offset after `base`, unless it is there.
  [[nodiscard]] op::Batch<1> place(Region base, Slice part) const;

 private:
  [[nodiscard]] bool value_is_input() const { return value_.buffer == op::Buffer::Input; }

  int self_;
  bool commutative_;
  Region value_ = input;
  Region incoming_;
  Region other_;  ///< spare place while the value is still the input
};

}  // namespace orrery::collective
