// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/reduction/kernel.hpp"

/// Operations on bits and on truth values.
namespace orrery::mpi {
namespace {

template <class T>
concept Integer = requires(T a) {
  a ^ a;
};

template <class T>
struct BitAnd {
  static T of(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct BitOr {
  static T of(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct BitXor {
  static T of(T a, T b) { return static_cast<T>(a ^ b); }
};

// Any value but 0 is true; results are 1 and 0, in C as in Fortran.
template <class T>
struct LogicalAnd {
  static T of(T a, T b) { return static_cast<T>((a != 0) & (b != 0)); }
};
template <class T>
struct LogicalOr {
  static T of(T a, T b) { return static_cast<T>((a != 0) | (b != 0)); }
};
template <class T>
struct LogicalXor {
  static T of(T a, T b) { return static_cast<T>((a != 0) != (b != 0)); }
};

}  // namespace

Kernel bitwise_kernel(Operation operation, Number number) {
  return with_type_of(number, [&]<class T>() -> Kernel {
    if constexpr (Integer<T>) {
      if (operation == Operation::BitAnd) return combine_arrays<T, BitAnd<T>>;
      if (operation == Operation::BitOr) return combine_arrays<T, BitOr<T>>;
      if (operation == Operation::BitXor) return combine_arrays<T, BitXor<T>>;
    }
    return nullptr;
  });
}

Kernel logical_kernel(Operation operation, Number number) {
  return with_type_of(number, [&]<class T>() -> Kernel {
    if constexpr (Integer<T>) {
      if (operation == Operation::LogicalAnd) return combine_arrays<T, LogicalAnd<T>>;
      if (operation == Operation::LogicalOr) return combine_arrays<T, LogicalOr<T>>;
      if (operation == Operation::LogicalXor) return combine_arrays<T, LogicalXor<T>>;
    }
    return nullptr;
  });
}

}  // namespace orrery::mpi
