// SPDX-License-Identifier: BSD-3-Clause
#include "floats.hpp"

#include <cstring>
#include <initializer_list>
#include <limits>

namespace orrery::deploy {
namespace {

template <class Number>
constexpr Floats floats{.width = sizeof(Number),
                        .epsilon = static_cast<double>(std::numeric_limits<Number>::epsilon())};

/// Types that this MPI was built without are MPI_DATATYPE_NULL.
bool is_among(MPI_Datatype type, std::initializer_list<MPI_Datatype> types) {
  for (const MPI_Datatype candidate : types)
    if (candidate == type && candidate != MPI_DATATYPE_NULL) return true;
  return false;
}

template <class Number>
std::vector<double> read(const char* data, std::size_t bytes) {
  std::vector<double> values;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes; at += sizeof(Number)) {
    Number value;
    std::memcpy(&value, data + at, sizeof value);
    values.push_back(static_cast<double>(value));
  }
  return values;
}

}  // namespace

Floats Floats::of(MPI_Datatype type) {
  if (is_among(type, {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_REAL8,
                      MPI_COMPLEX16, MPI_CXX_DOUBLE_COMPLEX}))
    return floats<double>;
  if (is_among(type,
               {MPI_FLOAT, MPI_REAL, MPI_C_FLOAT_COMPLEX, MPI_COMPLEX, MPI_REAL4, MPI_COMPLEX8, MPI_CXX_FLOAT_COMPLEX}))
    return floats<float>;
  if (is_among(type, {MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX}))
    return floats<long double>;
  return {};
}

std::vector<double> Floats::values(const char* data, std::size_t bytes) const {
  switch (width) {
    case sizeof(float): return read<float>(data, bytes);
    case sizeof(double): return read<double>(data, bytes);
    case sizeof(long double): return read<long double>(data, bytes);
    default: return {};
  }
}

}  // namespace orrery::deploy
