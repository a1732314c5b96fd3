// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "foreign_values.hpp"

/// What is particular to Open MPI's interface: where statuses keep the bytes received and whether the message was
/// cancelled; addresses that are the library's own.
namespace orrery::abi::foreign {

#pragma GCC visibility push(default)
extern "C" char ompi_mpi_lb[512];
extern "C" char ompi_mpi_ub[512];
/// An error handler of its bindings of C++ (language.cpp).
extern "C" char ompi_mpi_errors_throw_exceptions[1024];
#pragma GCC visibility pop
/// Its value as a handle of the standard interface, which has none like it.
inline constexpr std::uintptr_t errors_throw_exceptions = 0x144;

inline void set_message(Status& status, std::int64_t bytes, bool cancelled) {
  static_assert(sizeof status._ucount == sizeof bytes);
  std::memcpy(status._ucount, &bytes, sizeof bytes);
  status._cancelled = cancelled ? 1 : 0;
}

[[nodiscard]] inline std::int64_t bytes_of(const Status& status) {
  std::int64_t bytes = 0;
  std::memcpy(&bytes, status._ucount, sizeof bytes);
  return bytes;
}

[[nodiscard]] inline bool is_cancelled(const Status& status) { return status._cancelled != 0; }

/// Predefined copy functions are functions like others (exported.cpp).
[[nodiscard]] inline bool is_dup_function(const void* /*function*/) { return false; }

/// MPI_LB and MPI_UB, markers among the types of MPI_Type_struct, which are no types any more.
[[nodiscard]] inline bool is_lower_bound(Datatype type) { return type == ompi_mpi_lb; }
[[nodiscard]] inline bool is_upper_bound(Datatype type) { return type == ompi_mpi_ub; }

[[nodiscard]] inline const int* weights(const int* given) {
  switch (reinterpret_cast<std::intptr_t>(given)) {
    case unweighted: return MPI_UNWEIGHTED;
    case weights_empty: return MPI_WEIGHTS_EMPTY;
    default: return given;
  }
}
[[nodiscard]] inline int* weights(int* given) { return const_cast<int*>(weights(static_cast<const int*>(given))); }

}  // namespace orrery::abi::foreign
