// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "mpi/object/info.hpp"

namespace orrery::mpi {

inline constexpr const char* alignment_key = "mpi_minimum_memory_alignment";
/// A huge page: the largest alignment that memory of the library can have. Greater ones are ignored, as hints may be.
inline constexpr std::size_t largest_alignment = std::size_t{1} << 21;

/// Bytes that the address of memory is to be a multiple of (MPI-4.1, sections 9.2 and 12.2.2): what a program asks for
/// in a hint of that key, if it is a power of two; 1 where it does not.
/// @param info null: there are no hints
[[nodiscard]] std::size_t wanted_alignment(const Info* info);

}  // namespace orrery::mpi
