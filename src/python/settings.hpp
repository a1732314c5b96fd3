// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// How tables of a platform file become structs of the core. The code for each table is generated
/// (src/settings/generate.py), and calls these for its values.
namespace orrery::python {

/// @throws InputError
[[noreturn]] void unknown(std::string_view what, std::string_view name);

/// A number, true or false, or a text; a table or a choice by the function that was generated for it.
template <class T>
void read_value(nanobind::handle from, T& to) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
    to = nanobind::cast<T>(from);
  else
    read(from, to);
}
template <class T>
void read_value(nanobind::handle from, std::vector<T>& to) {
  to.clear();
  for (const nanobind::handle item : from) {
    T value{};
    read_value(item, value);
    to.push_back(std::move(value));
  }
}
template <class T>
void read_value(nanobind::handle from, std::optional<T>& to) {
  if (from.is_none())
    to.reset();
  else
    read_value(from, to.emplace());
}

/// A table, made of a dict: keys that are missing have their defaults, unknown ones and impossible values are refused.
template <class Table>
void bind_table(nanobind::module_& m, const char* name, const char* doc) {
  nanobind::class_<Table>(m, name, doc)
      .def(
          "__init__",
          [name](Table* self, const nanobind::typed<nanobind::dict, nanobind::str, nanobind::object>& values) {
            Table table;
            read(values, table);
            check(table, name);
            new (self) Table(std::move(table));
          },
          nanobind::arg("values"), "From the values of its keys.");
}

/// Binds all tables that are generated.
void bind_settings(nanobind::module_& m);

}  // namespace orrery::python
