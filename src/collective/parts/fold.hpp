// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

#include "collective/parts/accumulator.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {

/// How algorithms for 2^k ranks serve any number: of the first r = size - 2^k pairs of neighbours one rank each hands
/// its operand to the other and waits for the result; who remains is numbered 0 to 2^k - 1, in rank order.
/// size = 6, r = 2: 0→1, 2→3; ranks 1, 3, 4, 5 remain as 0, 1, 2, 3. Or 1→0, 3→2, if the even ones are to remain.
class Fold {
 public:
  enum class Remaining : std::uint8_t { Even, Odd };  ///< which rank of a pair

  constexpr Fold(int self, int size, Remaining remaining = Remaining::Odd)
      : self_(self),
        odd_(remaining == Remaining::Odd ? 1 : 0),
        power_(std::bit_floor(static_cast<unsigned>(size))),
        surplus_(size - power_) {}

  [[nodiscard]] constexpr int power() const { return power_; }  ///< 2^k, how many remain
  [[nodiscard]] constexpr int surplus() const { return surplus_; }
  [[nodiscard]] constexpr bool paired() const { return self_ < 2 * surplus_; }
  [[nodiscard]] constexpr bool remains() const { return rank(number(self_)) == self_; }
  [[nodiscard]] constexpr int neighbour() const { return self_ ^ 1; }  ///< the other one of the pair

  /// Number of this rank, or of the one that stands for it.
  [[nodiscard]] constexpr int number() const { return number(self_); }
  [[nodiscard]] constexpr int number(int rank) const { return rank < 2 * surplus_ ? rank / 2 : rank - surplus_; }
  /// The rank that remains as `number`.
  [[nodiscard]] constexpr int rank(int number) const {
    return number < surplus_ ? 2 * number + odd_ : number + surplus_;
  }
  /// First rank for which `number` stands; that of the next one is the end of its ranks. `number` in [0, power].
  [[nodiscard]] constexpr int first_rank(int number) const {
    return number < surplus_ ? 2 * number : number + surplus_;
  }

 private:
  int self_;
  int odd_;  ///< 1 if the odd rank of a pair remains
  int power_;
  int surplus_;
};

/// Hands over the operands of those who do not remain. `accumulator` belongs to the calling script.
[[nodiscard]] op::Script fold_in(Fold fold, Accumulator* accumulator, Bytes bytes);
/// Hands back the result, `result`, to them.
[[nodiscard]] op::Batch<1> fold_out(const Fold& fold, Slice result);

}  // namespace orrery::collective
