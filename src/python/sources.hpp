// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "replay/source.hpp"

namespace orrery::python {

/// What is to be run, until a simulation takes it.
struct HeldSource {
  std::unique_ptr<replay::Source> source;
};

/// Names of MPI routines by number.
[[nodiscard]] std::vector<std::string_view> all_routines();
/// Number of a routine by its name; 0 if there is none.
[[nodiscard]] op::RoutineId routine_number(std::string_view name);

}  // namespace orrery::python
