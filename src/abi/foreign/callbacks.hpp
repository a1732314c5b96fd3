// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "abi/foreign/by_hand.hpp"
#include "mpi/presentation.hpp"
#include "special.hpp"

/// Functions of the program, which take handles and codes of its interface. Most travel as they are: the library shows
/// them what they expect (mpi/presentation.hpp). Those that take more are wrapped, in callbacks.cpp.
namespace orrery::abi::foreign {

/// What functions of this interface are shown.
[[nodiscard]] const mpi::Presentation& own_presentation();

/// A function that the routine takes; the library remembers that it is one of this interface.
template <class Type>
class FunctionIn {
 public:
  explicit FunctionIn(Function* given) : presenting_(own_presentation()), given_(given) {}
  operator Type*() const { return reinterpret_cast<Type*>(given_); }

 private:
  mpi::Presenting presenting_;
  Function* given_;
};

/// A copy function of attributes. The interface's own that copies the value is the standard's constant for it.
template <class Type>
class CopyFunctionIn : public FunctionIn<Type> {
 public:
  explicit CopyFunctionIn(Function* given)
      : FunctionIn<Type>(is_dup_function(reinterpret_cast<void*>(given)) ? reinterpret_cast<Function*>(MPI_COMM_DUP_FN)
                                                                         : given) {}
};

}  // namespace orrery::abi::foreign
