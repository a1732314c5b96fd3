// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/datatype/basic.hpp"

namespace orrery::mpi {

/// The predefined operations, with the values of the standard ABI.
enum class Operation : std::uint32_t {
  User = 0,
  Sum = 0x21,
  Min = 0x22,
  Max = 0x23,
  Product = 0x24,
  BitAnd = 0x28,
  BitOr = 0x29,
  BitXor = 0x2a,
  LogicalAnd = 0x30,
  LogicalOr = 0x31,
  LogicalXor = 0x32,
  MinLocation = 0x38,
  MaxLocation = 0x39,
  Replace = 0x3c,
  NoOperation = 0x3d,
};

/// inout[i] = in[i] op inout[i]; the arrays do not overlap.
using Kernel = void (*)(const void* in, void* inout, std::int64_t count);

/// Whether MPI-4.1, section 6.9.2, defines the operation for a group of types. Two things are more than that, because
/// MPICH and Open MPI have them and programs rely on it: MPI_CHAR is an integer of C, and logical operations take
/// MPI_AINT, MPI_OFFSET and MPI_COUNT.
[[nodiscard]] bool is_defined(Operation operation, TypeGroup group);

// Each gives null where the operation is not its own, or has no meaning for the numbers.
[[nodiscard]] Kernel arithmetic_kernel(Operation operation, Number number);
[[nodiscard]] Kernel bitwise_kernel(Operation operation, Number number);
[[nodiscard]] Kernel logical_kernel(Operation operation, Number number);
/// For the pair type of a handle value of the standard ABI.
[[nodiscard]] Kernel location_kernel(Operation operation, std::uint32_t pair_type);

/// The loop that all kernels are. Written so that compilers vectorise it.
template <class T, class Combine>
void combine_arrays(const void* in, void* inout, std::int64_t count) {
  const T* __restrict lower = static_cast<const T*>(in);
  T* __restrict upper = static_cast<T*>(inout);
  for (std::int64_t i = 0; i < count; ++i) upper[i] = Combine::of(lower[i], upper[i]);
}

}  // namespace orrery::mpi
