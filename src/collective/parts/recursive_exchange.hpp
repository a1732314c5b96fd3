// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {

/// How recursive exchange, recursive doubling by a radix k, serves any number of ranks p. Of the p − k^h surplus ranks,
/// groups of k − 1 hand over to the rank after them; the k^h ranks that remain are numbered in rank order. In phase i
/// those exchange whose numbers differ in digit i, in base k, only. p = 7, k = 3: 0→2 1→2, 3→5 4→5; ranks 2, 5, 6
/// remain as 0, 1, 2.
class RecursiveExchange {
 public:
  /// @param k 2 if it is less; at most `size`
  RecursiveExchange(int self, int size, int k);

  [[nodiscard]] int radix() const { return k_; }
  [[nodiscard]] int power() const { return power_; }  ///< k^h, how many remain
  [[nodiscard]] int phases() const { return phases_; }
  [[nodiscard]] bool remains() const { return rank(number()) == self_; }
  /// Number of this rank, or of the one that stands for it.
  [[nodiscard]] int number() const { return number_; }
  /// The rank that remains as `number`, and to which the others of its group hand over.
  [[nodiscard]] int rank(int number) const { return first_rank(number + 1) - 1; }
  /// First rank for which `number` stands; that of the next one is the end of its ranks. `number` in [0, power].
  [[nodiscard]] int first_rank(int number) const {
    const int groups = surplus_ / (k_ - 1);
    if (number <= groups) return number * k_;
    return number + surplus_;
  }
  /// The ranks that hand over to this one: [first, self).
  [[nodiscard]] int first_of_group() const { return first_rank(number_); }
  /// The number that differs from `number` in the digit of `phase` only, which is `digit`.
  [[nodiscard]] int partner(int number, int phase, int digit) const;
  /// `number` with its digits in the opposite order.
  [[nodiscard]] int reversed(int number) const;
  /// The numbers that share all digits from `phase` on with `number`: whom it knows of at the beginning of the phase.
  [[nodiscard]] BlockRange known(int number, int phase) const;
  /// The ranks for which a range of numbers stands.
  [[nodiscard]] BlockRange ranks(BlockRange numbers) const {
    return {first_rank(numbers.first), first_rank(numbers.last)};
  }

 private:
  int self_;
  int k_;
  int power_ = 1;
  int phases_ = 0;
  int surplus_;
  int number_;
};

/// Which digit the first phase exchanges: the lowest, so that distances grow, or the highest. If they shrink, ranks
/// first exchange their blocks with those that have their digits in the opposite order, so that what each has stays in
/// one piece.
enum class Distance : std::uint8_t { Growing, Shrinking };

/// Allgather by recursive exchange; block i starts at rank i, in place in the output, and all blocks reach all ranks.
/// Cost, p a power of k: log_k p · (k − 1) · α + (p − 1)/p · nβ, n being all blocks.
[[nodiscard]] op::Script exchange_allgather(int self, Blocks blocks, int k, Distance distance);

/// The phases of it alone, among those who remain. @param by_number block i belongs to number i, not to rank i
[[nodiscard]] op::Script exchange_phases(RecursiveExchange exchange, Blocks blocks, bool by_number, Distance distance);

/// The reverse of these phases, a reduce-scatter: of `sums`, with all blocks, the own one is reduced at the end. The
/// operation must commute. @param arrived as long as `sums`
[[nodiscard]] op::Script exchange_reduction(RecursiveExchange exchange, Blocks blocks, bool by_number,
                                            Distance distance, Region sums, Region arrived);

/// The ranks that do not remain hand their input to the one that stands for them, which adds them to `sum`.
/// @param arrived as long as `sum`
[[nodiscard]] op::Script exchange_fold(RecursiveExchange exchange, int self, Slice sum, Region arrived);

/// Those that do not remain get the result from the one that stands for them.
[[nodiscard]] op::Script exchange_unfold(RecursiveExchange exchange, int self, Slice result);

/// Reduce-scatter of the input: each rank gets its block reduced in the output. The operation must commute.
[[nodiscard]] op::Script exchange_reduce_scatter(int self, RecursiveExchange exchange, Blocks blocks);

}  // namespace orrery::collective
