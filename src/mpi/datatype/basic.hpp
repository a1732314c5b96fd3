// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfloat>
#include <cstdint>
#include <span>

namespace orrery::mpi {

/// How a basic element is represented in this process's memory.
enum class Number : std::uint8_t {
  Absent,  ///< the platform has no such type
  Int8,    ///< two's complement, likewise the next ones
  Int16,
  Int32,
  Int64,
  Int128,
  UInt8,  ///< unsigned, likewise the next ones; raw bytes too
  UInt16,
  UInt32,
  UInt64,
  Half,   ///< IEEE binary16
  Float,  ///< C float, double, long double
  Double,
  LongDouble,
  Quad,          ///< IEEE binary128
  ComplexFloat,  ///< pairs of the above
  ComplexDouble,
  ComplexLongDouble,
  ComplexQuad,
};

/// The groups of types that MPI-4.1, section 6.9.2, defines operations for.
enum class TypeGroup : std::uint8_t {
  None,      ///< characters, packed data and pairs: no operation but those for any type
  CInteger,  ///< MPI_CHAR too, as MPICH and Open MPI have it
  FortranInteger,
  FloatingPoint,
  Logical,
  Complex,
  Byte,
  MultiLanguage,  ///< MPI_AINT, MPI_OFFSET, MPI_COUNT
};

#if defined(__SIZEOF_FLOAT128__)
#define ORRERY_HAS_QUAD 1
using QuadFloat = __float128;
#elif LDBL_MANT_DIG == 113
#define ORRERY_HAS_QUAD 1
using QuadFloat = long double;
#endif

// Clang names its limits where it has no code for it, too: on x86 before version 15.
#if defined(__FLT16_MANT_DIG__) && (!defined(__clang__) || __clang_major__ >= 15)
#define ORRERY_HAS_HALF 1
using HalfFloat = _Float16;
#endif

/// Complex numbers of any real type: std::complex promises nothing beyond the three standard ones.
template <class Real>
struct ComplexOf {
  Real real;
  Real imaginary;
};

/// A predefined type that is one element: what a type map is made of.
struct Basic {
  std::uint32_t abi;  ///< handle value in the standard ABI
  const char* name;
  Number number;
  TypeGroup group;
  int external_size;  ///< bytes in external32 (MPI-4.1, section 14.5.2)
  int size;           ///< bytes in memory
  int alignment;
};

/// A predefined type that this platform has not, though it has a handle.
struct AbsentType {
  std::uint32_t abi;
  const char* name;
};

/// All basic types that this platform has, in the order of their handle values.
[[nodiscard]] std::span<const Basic> basic_types();
/// All that it has not.
[[nodiscard]] std::span<const AbsentType> absent_types();
[[nodiscard]] const Basic* find_basic(std::uint32_t abi);
/// Bytes that stand for no type: what layouts that only say where data is are made of.
[[nodiscard]] const Basic& raw_byte();

/// Calls `function.template operator()<T>()` with the C++ type of `number`, which must not be absent.
template <class Function>
decltype(auto) with_type_of(Number number, Function&& function) {
  switch (number) {
    case Number::Int8: return function.template operator()<std::int8_t>();
    case Number::Int16: return function.template operator()<std::int16_t>();
    case Number::Int32: return function.template operator()<std::int32_t>();
    case Number::Int64: return function.template operator()<std::int64_t>();
#ifdef __SIZEOF_INT128__
    case Number::Int128: return function.template operator()<__int128>();
#endif
    case Number::UInt16: return function.template operator()<std::uint16_t>();
    case Number::UInt32: return function.template operator()<std::uint32_t>();
    case Number::UInt64: return function.template operator()<std::uint64_t>();
#ifdef ORRERY_HAS_HALF
    case Number::Half: return function.template operator()<HalfFloat>();
#endif
    case Number::Float: return function.template operator()<float>();
    case Number::Double: return function.template operator()<double>();
    case Number::LongDouble: return function.template operator()<long double>();
    case Number::ComplexFloat: return function.template operator()<ComplexOf<float>>();
    case Number::ComplexDouble: return function.template operator()<ComplexOf<double>>();
    case Number::ComplexLongDouble: return function.template operator()<ComplexOf<long double>>();
#ifdef ORRERY_HAS_QUAD
    case Number::Quad: return function.template operator()<QuadFloat>();
    case Number::ComplexQuad: return function.template operator()<ComplexOf<QuadFloat>>();
#endif
    default: return function.template operator()<std::uint8_t>();
  }
}

}  // namespace orrery::mpi
