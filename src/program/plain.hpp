// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>

namespace orrery::program {

/// `orrery replay FILE --loggops PARAMETERS [--json]`, in any order, and nothing besides.
struct PlainLogGOPS {
  std::string schedule;
  std::string parameters;
  bool as_json = false;
};

/// What the words behind `orrery` mean, if it is that; else nothing, and neither if something is wrong or strange:
/// Python reads those, and says what is wrong with them.
[[nodiscard]] std::optional<PlainLogGOPS> plain_loggops(std::span<const char* const> words);

}  // namespace orrery::program
