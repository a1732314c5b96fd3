// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

#include "mpi/mpi.hpp"

/// How handles and statuses of one binary interface become the library's objects. The interface's folder, which is on
/// the include path, defines it in handles.hpp: `standard/` does, and another interface would have to.
namespace orrery::abi {

/// For each class of object:
///   C                       the handle's type in C
///   object(C)               its object; null for the null handle and for values that never were handles
///   handle(Object*)         its handle; that of null is the null handle
///   error, name             error class of an invalid handle, and the type's name for the message
///   described(C)            where there are handles that only some routines know: what these know, or null
template <class Object>
struct Handle;

template <class Object>
using HandleOf = typename Handle<Object>::C;

}  // namespace orrery::abi

#include "handles.hpp"

namespace orrery::abi {

/// What is thrown when a parameter is no handle of an object.
template <class Object>
[[nodiscard]] mpi::Error invalid(HandleOf<Object> handle, const char* name) {
  if constexpr (requires { Handle<Object>::described(handle); }) {
    if (Handle<Object>::described(handle) != nullptr) {
      return mpi::Error{Handle<Object>::error, std::string(name) + " is an optional datatype that there is not here"};
    }
  }
  const char* what = handle == Handle<Object>::handle(nullptr) ? " is a null handle" : " is not a valid handle";
  return mpi::Error{Handle<Object>::error, std::string(name) + what + " of type " + Handle<Object>::name};
}

}  // namespace orrery::abi
