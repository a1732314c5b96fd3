// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/reduction/kernel.hpp"

/// MPI_MINLOC and MPI_MAXLOC (MPI-4.1, section 6.9.4): the extreme value, and the smallest index that it has.
namespace orrery::mpi {
namespace {

/// A predefined pair type is the C struct of its two members; an array of two in Fortran is the same.
template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

template <class P>
struct MinLocation {
  static P of(P a, P b) {
    if (a.value == b.value) return {a.value, b.index < a.index ? b.index : a.index};
    return b.value < a.value ? b : a;
  }
};

template <class P>
struct MaxLocation {
  static P of(P a, P b) {
    if (a.value == b.value) return {a.value, b.index < a.index ? b.index : a.index};
    return a.value < b.value ? b : a;
  }
};

template <class Value, class Index>
Kernel kernel_of(Operation operation) {
  using P = Pair<Value, Index>;
  if (operation == Operation::MinLocation) return combine_arrays<P, MinLocation<P>>;
  if (operation == Operation::MaxLocation) return combine_arrays<P, MaxLocation<P>>;
  return nullptr;
}

}  // namespace

Kernel location_kernel(Operation operation, std::uint32_t pair_type) {
  switch (pair_type) {
    case 0x228: return kernel_of<float, int>(operation);                  // MPI_FLOAT_INT
    case 0x229: return kernel_of<double, int>(operation);                 // MPI_DOUBLE_INT
    case 0x22a: return kernel_of<long, int>(operation);                   // MPI_LONG_INT
    case 0x22b: return kernel_of<int, int>(operation);                    // MPI_2INT
    case 0x22c: return kernel_of<short, int>(operation);                  // MPI_SHORT_INT
    case 0x22d: return kernel_of<long double, int>(operation);            // MPI_LONG_DOUBLE_INT
    case 0x230: return kernel_of<float, float>(operation);                // MPI_2REAL
    case 0x231: return kernel_of<double, double>(operation);              // MPI_2DOUBLE_PRECISION
    case 0x232: return kernel_of<std::int32_t, std::int32_t>(operation);  // MPI_2INTEGER
    default: return nullptr;
  }
}

}  // namespace orrery::mpi
