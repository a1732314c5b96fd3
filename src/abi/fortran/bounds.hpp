// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// MPI_LB and MPI_UB, which MPI-3 removed: old programs give them to MPI_TYPE_STRUCT to say where a datatype begins and
/// ends. The standard binary interface has no such handles; these are numbers that it leaves free.
namespace orrery::abi::fortran {

#ifdef ORRERY_INT_HANDLES  // as in MPICH's mpif.h
inline constexpr int lower_bound = 0x4c000010;
inline constexpr int upper_bound = 0x4c000011;
#elif defined(ORRERY_NUMBERED_HANDLES)  // as in Open MPI's
inline constexpr int lower_bound = 4;
inline constexpr int upper_bound = 3;
#else
inline constexpr int lower_bound = 0x204;
inline constexpr int upper_bound = 0x205;
#endif

[[nodiscard]] inline bool is_bound(int number) { return number == lower_bound || number == upper_bound; }
/// A datatype of that name, without data.
[[nodiscard]] MPI_Datatype bound_type(int number);

}  // namespace orrery::abi::fortran
