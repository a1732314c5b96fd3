// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace orrery {

/// The user's mistake (platform, trace, option, program): says what was found, what was expected
/// and what to do. Python sees it as `orrery.errors.InputError`.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments printed one after the other, as `std::format` would if every compiler had it.
template <class... Args>
[[nodiscard]] std::string concat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

}  // namespace orrery
