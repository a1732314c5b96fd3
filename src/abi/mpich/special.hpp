// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "foreign_values.hpp"

/// What is particular to MPICH's interface: where statuses keep the bytes received, 63 bits, and whether the message
/// was cancelled, the bit that is left; addresses that are the library's own.
namespace orrery::abi::foreign {

extern "C" int MPIR_Dup_fn(Comm comm, int keyval, void* extra_state, void* value, void* new_value, int* flag);

inline void set_message(Status& status, std::int64_t bytes, bool cancelled) {
  const auto all = static_cast<std::uint64_t>(bytes);
  status.count_lo = static_cast<int>(static_cast<std::uint32_t>(all));
  status.count_hi_and_cancelled = static_cast<int>(static_cast<std::uint32_t>(all >> 32) << 1 | (cancelled ? 1U : 0U));
}

[[nodiscard]] inline std::int64_t bytes_of(const Status& status) {
  const auto high = std::uint64_t{static_cast<std::uint32_t>(status.count_hi_and_cancelled)} >> 1;
  return static_cast<std::int64_t>(high << 32 | static_cast<std::uint32_t>(status.count_lo));
}

[[nodiscard]] inline bool is_cancelled(const Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }

[[nodiscard]] inline bool is_dup_function(const void* function) {
  return function == reinterpret_cast<const void*>(&MPIR_Dup_fn);
}

/// MPI_LB and MPI_UB, markers among the types of MPI_Type_struct, which are no types any more.
[[nodiscard]] inline bool is_lower_bound(Datatype type) { return type == 0x4c000010; }
[[nodiscard]] inline bool is_upper_bound(Datatype type) { return type == 0x4c000011; }

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are variables here; they have the standard's values (exported.cpp).
[[nodiscard]] inline const int* weights(const int* given) { return given; }
[[nodiscard]] inline int* weights(int* given) { return given; }

}  // namespace orrery::abi::foreign
