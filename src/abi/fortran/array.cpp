// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/array.hpp"

#include <algorithm>
#include <cstring>

namespace orrery::abi::fortran {

namespace {

/// A descriptor of ISO_Fortran_binding.h, as GNU and LLVM lay it out.
struct Standard {
  char* base;
  std::size_t element;
  int version;
  signed char rank;
  signed char codes[3];
  struct {
    std::ptrdiff_t lower, extent, stride;
  } dimensions[Array::max_rank];
};

/// A descriptor of libgfortran. `span` is the distance of elements whose stride is 1; strides are multiples of it.
struct Gnu {
  char* base;
  std::size_t offset;
  std::size_t element;
  int version;
  signed char rank;
  signed char type;
  short attribute;
  std::ptrdiff_t span;
  struct {
    std::ptrdiff_t stride, lower, upper;
  } dimensions[Array::max_rank];
};

bool is_standard(const void* descriptor) {
  return static_cast<std::uint64_t>(static_cast<const Gnu*>(descriptor)->element) >> 32 != 0;
}

/// Calls `copy(address)` for each element of the dimensions up to `dimension`, the first one fastest.
template <class Copy>
void for_each(const Array& array, int dimension, char* at, Copy&& copy) {
  if (dimension < 0) {
    copy(at);
    return;
  }
  const auto [extent, stride] = array.dimensions[dimension];
  for (std::int64_t i = 0; i < extent; ++i) for_each(array, dimension - 1, at + i * stride, copy);
}

}  // namespace

Array::Array(const void* descriptor) {
  if (is_standard(descriptor)) {
    const auto& from = *static_cast<const Standard*>(descriptor);
    base = from.base;
    element = static_cast<std::int64_t>(from.element);
    rank = std::clamp<int>(from.rank, 0, max_rank);
    for (int i = 0; i < rank; ++i) dimensions[i] = {from.dimensions[i].extent, from.dimensions[i].stride};
    return;
  }
  const auto& from = *static_cast<const Gnu*>(descriptor);
  base = from.base;
  element = static_cast<std::int64_t>(from.element);
  rank = std::clamp<int>(from.rank, 0, max_rank);
  const std::int64_t span = from.span != 0 ? from.span : element;
  for (int i = 0; i < rank; ++i) {
    const auto& dimension = from.dimensions[i];
    dimensions[i] = {dimension.upper - dimension.lower + 1, dimension.stride * span};
  }
}

bool Array::is_contiguous() const {
  if (std::any_of(dimensions, dimensions + rank, [](const Dimension& d) { return d.extent <= 0; })) return true;
  std::int64_t expected = element;
  for (int i = 0; i < rank; ++i) {
    if (dimensions[i].extent > 1 && dimensions[i].stride != expected) return false;
    expected *= dimensions[i].extent;
  }
  return true;
}

std::int64_t Array::bytes() const {
  std::int64_t bytes = element;
  for (int i = 0; i < rank; ++i) bytes *= std::max<std::int64_t>(dimensions[i].extent, 0);
  return bytes;
}

void Array::gather(char* to) const {
  const auto length = static_cast<std::size_t>(element);
  for_each(*this, rank - 1, base, [&](const char* from) {
    std::memcpy(to, from, length);
    to += length;
  });
}

void Array::scatter_changes(const char* from, const char* before) const {
  const auto length = static_cast<std::size_t>(element);
  for_each(*this, rank - 1, base, [&](char* to) {
    if (std::memcmp(from, before, length) != 0) {
      for (std::size_t i = 0; i < length; ++i) {
        if (from[i] != before[i]) to[i] = from[i];
      }
    }
    from += length;
    before += length;
  });
}

}  // namespace orrery::abi::fortran
