// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "mpi/reduction/kernel.hpp"

namespace orrery::mpi {
namespace {

/// Integers wrap around as they do in hardware: computed unsigned, and not narrower than int, since shorter ones would
/// be promoted to signed.
template <class T>
struct Wrapping {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
#ifdef __SIZEOF_INT128__
template <>
struct Wrapping<__int128> {
  using type = unsigned __int128;
};
template <class T>
constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, __int128>;
#else
template <class T>
constexpr bool is_integer = std::is_integral_v<T>;
#endif

template <class T>
constexpr bool is_complex = false;
template <class Real>
constexpr bool is_complex<ComplexOf<Real>> = true;

template <class T>
struct Sum {
  static T of(T a, T b) {
    if constexpr (is_complex<T>) {
      return {a.real + b.real, a.imaginary + b.imaginary};
    } else if constexpr (is_integer<T>) {
      using Wide = typename Wrapping<T>::type;
      return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    } else {
      return a + b;
    }
  }
};

template <class T>
struct Product {
  static T of(T a, T b) {
    if constexpr (is_complex<T>) {
      return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    } else if constexpr (is_integer<T>) {
      using Wide = typename Wrapping<T>::type;
      return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    } else {
      return a * b;
    }
  }
};

template <class T>
struct Min {
  static T of(T a, T b) { return b < a ? b : a; }
};

template <class T>
struct Max {
  static T of(T a, T b) { return a < b ? b : a; }
};

}  // namespace

Kernel arithmetic_kernel(Operation operation, Number number) {
  return with_type_of(number, [&]<class T>() -> Kernel {
    if (operation == Operation::Sum) return combine_arrays<T, Sum<T>>;
    if (operation == Operation::Product) return combine_arrays<T, Product<T>>;
    if constexpr (!is_complex<T>) {
      if (operation == Operation::Min) return combine_arrays<T, Min<T>>;
      if (operation == Operation::Max) return combine_arrays<T, Max<T>>;
    }
    return nullptr;
  });
}

}  // namespace orrery::mpi
