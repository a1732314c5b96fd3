// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collective/collective.hpp"
#include "collective/parts/slice.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// How Open MPI does Rabenseifner's algorithms for operations that commute. Of the r = p − 2^k surplus pairs of
/// neighbours each rank first reduces one half of the vector; the even ones get the other half and remain. In the
/// reduce-scatter they halve windows of the vector, neighbours first; the lower rank keeps the lower half, which has
/// one element less where they differ.
class Halved {
 public:
  /// Positions of a vector in bytes, [first, last).
  struct Window {
    std::int64_t first;
    std::int64_t last;
    [[nodiscard]] Slice at(Region base) const { return {base + first, {last - first}}; }
  };
  /// One step of the reduce-scatter.
  struct Step {
    int peer;      ///< number
    Window kept;   ///< received and reduced
    Window given;  ///< sent
  };

  explicit Halved(const Call& call);

  [[nodiscard]] int power() const { return power_; }
  [[nodiscard]] bool paired() const { return self_ < 2 * surplus_; }
  [[nodiscard]] bool remains() const { return !paired() || self_ % 2 == 0; }
  [[nodiscard]] int number() const { return paired() ? self_ / 2 : self_ - surplus_; }
  [[nodiscard]] int number(int rank) const { return rank < 2 * surplus_ ? rank / 2 : rank - surplus_; }
  [[nodiscard]] int rank(int number) const { return number < surplus_ ? 2 * number : number + surplus_; }
  /// Whether a rank is one that does not remain.
  [[nodiscard]] bool dropped(int rank) const { return rank < 2 * surplus_ && rank % 2 == 1; }
  /// The steps of the rank that is `number` (one that remains).
  [[nodiscard]] std::vector<Step> steps(int number) const;

  [[nodiscard]] int self() const { return self_; }
  [[nodiscard]] Bytes bytes() const { return {elements_ * element_}; }
  [[nodiscard]] Window lower_half() const { return {0, elements_ / 2 * element_}; }
  [[nodiscard]] Window upper_half() const { return {lower_half().last, bytes().count}; }

 private:
  int self_;
  int power_;
  int surplus_;
  std::int64_t element_;
  std::int64_t elements_;
};

/// The surplus ranks hand over their operands: afterwards `home` holds the vector that a remaining rank starts with.
[[nodiscard]] op::Script halved_fold(Halved ranks, Region home, Region spare);
/// The reduce-scatter: afterwards `home` holds the last window reduced.
[[nodiscard]] op::Script halved_reduce_scatter(Halved ranks, Region home, Region spare);

}  // namespace orrery::collective
