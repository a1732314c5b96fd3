// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

/// What the tool interface has to tell (MPI-4.1, chapter 15): settings of the run as control variables, which cannot be
/// changed from inside it, and counters of this rank as performance variables, which always run. There are no events.
namespace orrery::mpi::tool {

/// The value of a variable; its type is the variable's.
using Value = std::variant<int, double, std::uint64_t, std::string_view>;

/// Names of the values of a variable of type int.
struct Enumeration {
  std::string_view name;
  std::span<const std::string_view> items;  ///< by value, from 0
};

/// Which of the types of `Value` a variable has, also before its value is known.
enum class Type : std::uint8_t { Int, Double, Wide, Text };

struct ControlVariable {
  std::string_view name, description;
  Type datatype;
  Value (*read)();  ///< @throws Error before the rank knows
  const Enumeration* enumeration = nullptr;
};

enum class Class : std::uint8_t {
  Counter,  ///< grows by one for each event
  Aggregate,
  Timer,
};

struct PerformanceVariable {
  std::string_view name, description;
  Class variable_class;
  Value (*read)();
};

/// Variables that belong together, by index.
struct Category {
  std::string_view name, description;
  std::span<const int> control, performance;
};

[[nodiscard]] std::span<const ControlVariable> control_variables();
[[nodiscard]] std::span<const PerformanceVariable> performance_variables();
[[nodiscard]] std::span<const Category> categories();

}  // namespace orrery::mpi::tool
