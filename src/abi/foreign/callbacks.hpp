// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "abi/foreign/by_hand.hpp"
#include "special.hpp"

/// Functions of the program, which take handles and codes of its interface. Most travel as they are: the library shows
/// them what they expect (mpi/presentation.hpp). Those that take more are wrapped, in callbacks.cpp.
namespace orrery::abi::foreign {

template <class Type>
[[nodiscard]] Type* function(Function* given) {
  return reinterpret_cast<Type*>(given);
}

/// A copy function of attributes. The interface's own that copies the value is the standard's constant for it.
template <class Type>
[[nodiscard]] Type* copy_function(Function* given) {
  if (is_dup_function(reinterpret_cast<void*>(given))) return reinterpret_cast<Type*>(MPI_COMM_DUP_FN);
  return reinterpret_cast<Type*>(given);
}

}  // namespace orrery::abi::foreign
