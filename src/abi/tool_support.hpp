// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "mpi.h"
#include "mpi/error/errors.hpp"
#include "mpi/tool/tool.hpp"
#include "mpi/types.hpp"

/// What the routines of the tool interface share.
namespace orrery::abi::by_hand {

/// @throws Error unless the tool interface is initialised
void check_tool();

/// Writes what the caller wants to know.
template <class T, class From>
void tell(T* where, const From& value) {
  if (where != nullptr) *where = static_cast<T>(value);
}

/// Writes as much of `text` as there is room for, and how long it is with its end (MPI-4.1, section 15.3.3).
void tell_text(std::string_view text, char* where, int* length);

/// The element of this index. @throws Error when there is none
template <class T>
[[nodiscard]] const T& element(std::span<const T> all, int index) {
  check_tool();
  if (index < 0 || static_cast<std::size_t>(index) >= all.size()) {
    throw mpi::Error{MPI_T_ERR_INVALID_INDEX, "no such index"};
  }
  return all[static_cast<std::size_t>(index)];
}

/// The index of the element of this name.
template <class T>
void tell_index(std::span<const T> all, const char* name, int* index) {
  check_tool();
  for (std::size_t i = 0; name != nullptr && i < all.size(); ++i) {
    if (all[i].name == name) return tell(index, i);
  }
  throw mpi::Error{MPI_T_ERR_INVALID_NAME, "no such name"};
}

/// The longest text that a variable may have, with its end.
inline constexpr int text_room = 256;

void copy_value(const mpi::tool::Value& value, void* buffer);

}  // namespace orrery::abi::by_hand
