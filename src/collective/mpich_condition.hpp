// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"

namespace orrery::collective {

/// A condition of MPICH's tuning files, such as "comm_size<8", "count<pow2" or "is_commutative=yes".
class MpichCondition {
 public:
  static constexpr std::string_view examples = "comm_size<8, avg_msg_size<=2048, count<pow2, is_commutative=yes, any";

  /// Absent if there is no such condition.
  [[nodiscard]] static std::optional<MpichCondition> parse(std::string_view text);

  /// Whether it holds. MPICH looks at conditions on the communicator once and for all when that is made, as far as it
  /// comes; from the first condition on a message on, at the call.
  /// @param at_call a condition on a message came before: "comm_size<N" then holds for N ranks too
  [[nodiscard]] bool holds(const Call& call, bool at_call) const;

  /// Whether it depends on more than the communicator.
  [[nodiscard]] bool on_message() const;

 private:
  using Predicate = bool (*)(const Call& call, std::int64_t limit, bool at_call);
  struct Form;
  MpichCondition(const Form* form, std::int64_t limit) : form_(form), limit_(limit) {}

  const Form* form_;
  std::int64_t limit_;
};

}  // namespace orrery::collective
