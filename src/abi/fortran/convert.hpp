// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

#include "abi/fortran/array.hpp"
#include "abi/fortran/functions.hpp"
#include "abi/fortran/handles.hpp"
#include "abi/fortran/held.hpp"
#include "abi/fortran/logicals.hpp"
#include "abi/fortran/neighbours.hpp"
#include "abi/fortran/positions.hpp"
#include "abi/fortran/sentinels.hpp"
#include "abi/fortran/text.hpp"

/// What the Fortran entry points are made of: converters from what Fortran passes to the arguments of C's routines.
/// They know C's interface only and nothing of the library: what goes out is written when the call ends, as in
/// abi/convert.hpp.
#define ORRERY_NAME(name) __attribute__((weak, alias(#name), visibility("default")))

/// The other names of an entry point that is written by hand, pmpi_NAME_, with the types of its parameters.
#define ORRERY_NAMES(name, ...)                                   \
  ORRERY_NAME(pmpi_##name##_) void mpi_##name##_ __VA_ARGS__;     \
  ORRERY_NAME(pmpi_##name##_) void mpi_##name##_f08_ __VA_ARGS__; \
  ORRERY_NAME(pmpi_##name##_) void pmpi_##name##_f08_ __VA_ARGS__

namespace orrery::abi::fortran {

/// The end of a call. Programs in mpi_f08 may leave the error code out.
inline void done(int* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

}  // namespace orrery::abi::fortran
