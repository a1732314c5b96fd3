// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype/basic.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace orrery::mpi {
namespace {

using enum Number;
using enum TypeGroup;

struct BasicRow {
  std::uint32_t abi;
  const char* name;
  Number number;
  TypeGroup group;
  int external_size;
};

constexpr Number signed_of(std::size_t bytes) {
  switch (bytes) {
    case 1: return Int8;
    case 2: return Int16;
    case 4: return Int32;
    default: return Int64;
  }
}

constexpr Number unsigned_of(std::size_t bytes) {
  switch (bytes) {
    case 1: return UInt8;
    case 2: return UInt16;
    case 4: return UInt32;
    default: return UInt64;
  }
}

#ifdef ORRERY_HAS_QUAD
constexpr Number quad = Quad, complex_quad = ComplexQuad;
#else
constexpr Number quad = Absent, complex_quad = Absent;
#endif
#ifdef ORRERY_HAS_HALF
constexpr Number half = Half;
#else
constexpr Number half = Absent;
#endif
#ifdef __SIZEOF_INT128__
constexpr Number int128 = Int128;
#else
constexpr Number int128 = Absent;
#endif

/// Values: MPI-5.0 standard ABI. External sizes: MPI-4.1, Table 14.2. Fortran's default kinds are those of gfortran,
/// flang and ifort without options: 4 bytes, and 8 for DOUBLE PRECISION. MPIX_C_FLOAT16 is MPICH's; the standard ABI
/// keeps its value for such a type. None of these compilers has a REAL of 2 bytes.
constexpr BasicRow basic_rows[] = {
    {0x201, "MPI_AINT", signed_of(sizeof(std::intptr_t)), MultiLanguage, 8},
    {0x202, "MPI_COUNT", Int64, MultiLanguage, 8},
    {0x203, "MPI_OFFSET", Int64, MultiLanguage, 8},
    {0x207, "MPI_PACKED", UInt8, None, 1},
    {0x208, "MPI_SHORT", signed_of(sizeof(short)), CInteger, 2},
    {0x209, "MPI_INT", signed_of(sizeof(int)), CInteger, 4},
    {0x20a, "MPI_LONG", signed_of(sizeof(long)), CInteger, 4},
    {0x20b, "MPI_LONG_LONG_INT", signed_of(sizeof(long long)), CInteger, 8},
    {0x20c, "MPI_UNSIGNED_SHORT", unsigned_of(sizeof(short)), CInteger, 2},
    {0x20d, "MPI_UNSIGNED", unsigned_of(sizeof(int)), CInteger, 4},
    {0x20e, "MPI_UNSIGNED_LONG", unsigned_of(sizeof(long)), CInteger, 4},
    {0x20f, "MPI_UNSIGNED_LONG_LONG", unsigned_of(sizeof(long long)), CInteger, 8},
    {0x210, "MPI_FLOAT", Float, FloatingPoint, 4},
    {0x212, "MPI_C_COMPLEX", ComplexFloat, Complex, 8},
    {0x213, "MPI_CXX_FLOAT_COMPLEX", ComplexFloat, Complex, 8},
    {0x214, "MPI_DOUBLE", Double, FloatingPoint, 8},
    {0x216, "MPI_C_DOUBLE_COMPLEX", ComplexDouble, Complex, 16},
    {0x217, "MPI_CXX_DOUBLE_COMPLEX", ComplexDouble, Complex, 16},
    {0x218, "MPI_LOGICAL", Int32, Logical, 4},
    {0x219, "MPI_INTEGER", Int32, FortranInteger, 4},
    {0x21a, "MPI_REAL", Float, FloatingPoint, 4},
    {0x21b, "MPI_COMPLEX", ComplexFloat, Complex, 8},
    {0x21c, "MPI_DOUBLE_PRECISION", Double, FloatingPoint, 8},
    {0x21d, "MPI_DOUBLE_COMPLEX", ComplexDouble, Complex, 16},
    {0x21e, "MPI_CHARACTER", UInt8, None, 1},
    {0x220, "MPI_LONG_DOUBLE", LongDouble, FloatingPoint, 16},
    {0x224, "MPI_C_LONG_DOUBLE_COMPLEX", ComplexLongDouble, Complex, 32},
    {0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", ComplexLongDouble, Complex, 32},
    {0x238, "MPI_C_BOOL", UInt8, Logical, 1},
    {0x239, "MPI_CXX_BOOL", UInt8, Logical, 1},
    {0x23c, "MPI_WCHAR", signed_of(sizeof(wchar_t)), None, 2},
    {0x240, "MPI_INT8_T", Int8, CInteger, 1},
    {0x241, "MPI_UINT8_T", UInt8, CInteger, 1},
    {0x243, "MPI_CHAR", std::is_signed_v<char> ? Int8 : UInt8, CInteger, 1},
    {0x244, "MPI_SIGNED_CHAR", Int8, CInteger, 1},
    {0x245, "MPI_UNSIGNED_CHAR", UInt8, CInteger, 1},
    {0x247, "MPI_BYTE", UInt8, Byte, 1},
    {0x248, "MPI_INT16_T", Int16, CInteger, 2},
    {0x249, "MPI_UINT16_T", UInt16, CInteger, 2},
    {0x24a, "MPIX_C_FLOAT16", half, FloatingPoint, 2},
    {0x250, "MPI_INT32_T", Int32, CInteger, 4},
    {0x251, "MPI_UINT32_T", UInt32, CInteger, 4},
    {0x258, "MPI_INT64_T", Int64, CInteger, 8},
    {0x259, "MPI_UINT64_T", UInt64, CInteger, 8},
    {0x2c0, "MPI_LOGICAL1", Int8, Logical, 1},
    {0x2c1, "MPI_INTEGER1", Int8, FortranInteger, 1},
    {0x2c8, "MPI_LOGICAL2", Int16, Logical, 2},
    {0x2c9, "MPI_INTEGER2", Int16, FortranInteger, 2},
    {0x2ca, "MPI_REAL2", Absent, FloatingPoint, 2},
    {0x2d0, "MPI_LOGICAL4", Int32, Logical, 4},
    {0x2d1, "MPI_INTEGER4", Int32, FortranInteger, 4},
    {0x2d2, "MPI_REAL4", Float, FloatingPoint, 4},
    {0x2d3, "MPI_COMPLEX4", Absent, Complex, 4},
    {0x2d8, "MPI_LOGICAL8", Int64, Logical, 8},
    {0x2d9, "MPI_INTEGER8", Int64, FortranInteger, 8},
    {0x2da, "MPI_REAL8", Double, FloatingPoint, 8},
    {0x2db, "MPI_COMPLEX8", ComplexFloat, Complex, 8},
    {0x2e0, "MPI_LOGICAL16", int128, Logical, 16},
    {0x2e1, "MPI_INTEGER16", int128, FortranInteger, 16},
    {0x2e2, "MPI_REAL16", quad, FloatingPoint, 16},
    {0x2e3, "MPI_COMPLEX16", ComplexDouble, Complex, 16},
    {0x2eb, "MPI_COMPLEX32", complex_quad, Complex, 32},
};

Basic measured_basic(const BasicRow& row) {
  return with_type_of(row.number, [&]<class T>() {
    return Basic{row.abi, row.name, row.number, row.group, row.external_size, sizeof(T), alignof(T)};
  });
}

}  // namespace

std::span<const Basic> basic_types() {
  // Never destroyed, as the predefined datatypes that use them.
  static const std::vector<Basic>& all = *new auto([] {
    std::vector<Basic> present;
    for (const BasicRow& row : basic_rows) {
      if (row.number != Absent) present.push_back(measured_basic(row));
    }
    return present;
  }());
  return all;
}

std::span<const AbsentType> absent_types() {
  static const std::vector<AbsentType>& all = *new auto([] {
    std::vector<AbsentType> absent;
    for (const BasicRow& row : basic_rows) {
      if (row.number == Absent) absent.push_back({row.abi, row.name});
    }
    return absent;
  }());
  return all;
}

const Basic* find_basic(std::uint32_t abi) {
  const std::span<const Basic> all = basic_types();
  const auto at = std::ranges::lower_bound(all, abi, {}, &Basic::abi);
  return at != all.end() && at->abi == abi ? &*at : nullptr;
}

const Basic& raw_byte() {
  static const Basic byte{0, "byte", UInt8, None, 1, 1, 1};
  return byte;
}

}  // namespace orrery::mpi
