// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules.hpp"

namespace orrery::deploy {

/// Why a call was left to the library; `orrery deploy` has the sentences.
enum class Left : std::uint8_t {
  NoRule,          ///< no rule is for its size
  NoPrivateCopy,   ///< of the communicator: between two groups, no rule for its ranks, or made where we do not look
  DoesNotCommute,  ///< the operation
  DerivedType,     ///< of a reduction, or one of MPI's own with gaps
  TooLong,         ///< a buffer of 2 GiB and more
  NotServed,       ///< the algorithm cannot serve the call
  WrongArguments,  ///< the library says what is wrong
};
inline constexpr std::size_t lefts = 7;

/// How often each rule, and each reason to leave a call to the library, decided, by collective.
class Tally {
 public:
  explicit Tally(std::size_t rules) : rules_(rules), counts_((rules + lefts) * op::collective_kinds) {}

  void by_rule(CollectiveKind kind, std::size_t rule) { ++at(kind, rule); }
  void left(CollectiveKind kind, Left why) { ++at(kind, rules_ + static_cast<std::size_t>(why)); }

  /// Counts of all ranks of the world, at its rank 0: "calls COLLECTIVE rule NUMBER TIMES", "calls COLLECTIVE left
  /// NUMBER TIMES".
  [[nodiscard]] std::string of_all() const;

 private:
  std::int64_t& at(CollectiveKind kind, std::size_t outcome) {
    return counts_[static_cast<std::size_t>(kind) * (rules_ + lefts) + outcome];
  }

  std::size_t rules_;
  std::vector<std::int64_t> counts_;
};

}  // namespace orrery::deploy
