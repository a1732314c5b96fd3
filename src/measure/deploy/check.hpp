// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "member.hpp"
#include "staged.hpp"

namespace orrery::deploy {

/// A call whose result is compared with that of the library, on copies: bit by bit, but for sums and products of
/// floating point numbers, which depend on the order of the operands.
class Check {
 public:
  /// Before the call.
  Check(const Arguments& arguments, const Rule& rule, const Staged& staged, const Member& member, std::int64_t bytes);

  /// After it. Ends the job, naming call and algorithm, where the results differ.
  void compare();

 private:
  [[nodiscard]] Arguments reference();
  [[nodiscard]] bool differs(std::size_t& at) const;

  const Arguments& arguments_;
  const Rule& rule_;
  const Staged& staged_;
  const Member& member_;
  std::int64_t bytes_;
  std::vector<char> expected_;
  std::vector<double> scale_;  ///< of sums: what the terms add up to without their signs
};

}  // namespace orrery::deploy
