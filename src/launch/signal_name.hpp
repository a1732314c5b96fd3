// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace orrery::launch {

/// "SIGSEGV" for 11; "signal 40" for one without a name.
[[nodiscard]] std::string signal_name(int number);

/// What the signal usually means for a program, "" when nothing helps: "it used memory that is not its own".
[[nodiscard]] std::string signal_meaning(int number);

}  // namespace orrery::launch
