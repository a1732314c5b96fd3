// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// Attributes that Fortran and C share (MPI-4.1, section 19.3.7).
///
/// C caches a pointer; Fortran caches an integer, of which C gets the address. So what is cached for Fortran is the
/// address of a constant of that value, kept for ever: as many as there are different values. A pointer that is not one
/// of these addresses was set by C, and Fortran sees it as an integer.
namespace orrery::abi::fortran {

/// What C caches for an integer of Fortran.
[[nodiscard]] void* cached(MPI_Aint value);
/// What Fortran sees of what is cached.
[[nodiscard]] MPI_Aint seen(const void* cached);
/// Whether it was set in Fortran.
[[nodiscard]] bool is_fortrans(const void* cached);
/// What Fortran sees of MPI's own attributes, which are addresses of int or MPI_Aint in C.
[[nodiscard]] MPI_Aint seen(int keyval, const void* cached);

}  // namespace orrery::abi::fortran
