// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "op/op.hpp"

namespace orrery::launch {

/// "MPI_Recv"; "routine 12" for a number that the table does not have.
[[nodiscard]] inline std::string routine_name(op::RoutineId routine, std::span<const std::string_view> names) {
  return routine < names.size() ? std::string(names[routine]) : concat("routine ", routine);
}

}  // namespace orrery::launch
