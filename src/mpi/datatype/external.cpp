// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"

/// The representation "external32": big-endian, IEEE, sizes by table (MPI-4.1, section 14.5.2).
namespace orrery::mpi {
namespace {

/// A basic type as a sequence of numbers: complex ones are two.
struct Scalar {
  int size;  ///< in memory
  int external_size;
  bool extended;  ///< floating point that is not stored as in external32: goes through binary128
  bool is_signed;
};

template <class T>
constexpr bool is_signed_integer = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::int16_t> ||
                                   std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;

bool is_complex_number(Number number) { return number >= Number::ComplexFloat; }
bool is_long_double(Number number) { return number == Number::LongDouble || number == Number::ComplexLongDouble; }

Scalar scalar_of(const Basic& basic) {
  const int numbers = is_complex_number(basic.number) ? 2 : 1;
  const bool is_signed = with_type_of(basic.number, []<class T>() { return is_signed_integer<T>; });
  return {basic.size / numbers, basic.external_size / numbers, is_long_double(basic.number) && LDBL_MANT_DIG != 113,
          is_signed};
}

/// Byte `i` of a number of `size` bytes, counted from the least significant one.
std::byte* significant(std::byte* number, int size, int i) {
  return std::endian::native == std::endian::little ? number + i : number + size - 1 - i;
}

/// Integers change their width, all else is as wide outside as in memory.
void to_external(std::byte* native, const Scalar& scalar, std::byte* external) {
  const bool negative = scalar.is_signed && (*significant(native, scalar.size, scalar.size - 1) >> 7) == std::byte{1};
  for (int i = 0; i < scalar.external_size; ++i) {
    const std::byte fill = negative ? std::byte{0xff} : std::byte{0};
    external[scalar.external_size - 1 - i] = i < scalar.size ? *significant(native, scalar.size, i) : fill;
  }
}

void from_external(const std::byte* external, const Scalar& scalar, std::byte* native) {
  const bool negative = scalar.is_signed && (external[0] >> 7) == std::byte{1};
  for (int i = 0; i < scalar.size; ++i) {
    const std::byte fill = negative ? std::byte{0xff} : std::byte{0};
    *significant(native, scalar.size, i) = i < scalar.external_size ? external[scalar.external_size - 1 - i] : fill;
  }
}

constexpr Scalar binary128{16, 16, false, false};

void extended_to_external([[maybe_unused]] const std::byte* native, [[maybe_unused]] std::byte* external) {
#ifdef ORRERY_HAS_QUAD
  long double value;
  std::memcpy(&value, native, sizeof value);
  auto wide = static_cast<QuadFloat>(value);
  to_external(reinterpret_cast<std::byte*>(&wide), binary128, external);
#else
  throw Error{err_conversion, "this platform cannot convert long double to external32"};
#endif
}

void extended_from_external([[maybe_unused]] const std::byte* external, [[maybe_unused]] std::byte* native) {
#ifdef ORRERY_HAS_QUAD
  QuadFloat wide;
  from_external(external, binary128, reinterpret_cast<std::byte*>(&wide));
  const auto value = static_cast<long double>(wide);
  std::memcpy(native, &value, sizeof value);
#else
  throw Error{err_conversion, "this platform cannot convert long double from external32"};
#endif
}

/// Calls `convert(place in memory, place outside, scalar)` for each number of `count` elements.
template <class Convert>
void for_each_number(const void* buffer, std::int64_t count, const Datatype& type, std::byte* external,
                     Convert&& convert) {
  const Layout layout = repeat(type.shape.layout, count, type.shape.extent());
  if (!layout) return;
  auto visit = [&](std::int64_t displacement, std::int64_t bytes, const Basic* basic) {
    const Scalar scalar = scalar_of(*basic);
    std::byte* native = byte_at(buffer, displacement);
    for (std::int64_t at = 0; at < bytes; at += scalar.size, external += scalar.external_size) {
      convert(native + at, external, scalar);
    }
  };
  visit_range(*layout, 0, 0, layout->size, visit);
}

std::int64_t external_size(const Layout& layout) {
  if (!layout) return 0;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < layout->length(); ++i) {
    const Part& part = layout->part(i);
    size += part.basic != nullptr ? layout->size_at(i) / part.basic->size * part.basic->external_size
                                  : external_size(part.child);
  }
  return layout->count * size;
}

std::int64_t checked_size(const char* representation, std::int64_t count, const Datatype& type) {
  if (std::string_view(representation) != "external32") {
    throw Error{err_unsupported_datarep, concat("only \"external32\" can be packed, not \"", representation, "\"")};
  }
  return count * external_size(type.shape.layout);
}

}  // namespace

void pack_external(const char* representation, const void* in, std::int64_t in_count, const Datatype& type, void* out,
                   std::int64_t out_size, std::int64_t& position) {
  check_elements(in_count, type);
  const std::int64_t bytes = checked_size(representation, in_count, type);
  check_room(position, bytes, out_size);
  const auto convert = [](std::byte* native, std::byte* external, const Scalar& scalar) {
    scalar.extended ? extended_to_external(native, external) : to_external(native, scalar, external);
  };
  for_each_number(in, in_count, type, static_cast<std::byte*>(out) + position, convert);
  position += bytes;
}

void unpack_external(const char* representation, const void* in, std::int64_t in_size, std::int64_t& position,
                     void* out, std::int64_t out_count, const Datatype& type) {
  check_elements(out_count, type);
  const std::int64_t bytes = checked_size(representation, out_count, type);
  check_room(position, bytes, in_size);
  const auto convert = [](std::byte* native, const std::byte* external, const Scalar& scalar) {
    scalar.extended ? extended_from_external(external, native) : from_external(external, scalar, native);
  };
  auto* external = const_cast<std::byte*>(static_cast<const std::byte*>(in)) + position;  // only read
  for_each_number(out, out_count, type, external, convert);
  position += bytes;
}

void pack_external_size(const char* representation, std::int64_t count, const Datatype& type, std::int64_t& size) {
  size = checked_size(representation, count, type);
}

}  // namespace orrery::mpi
