// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"

/// How a type was made (MPI-4.1, section 5.1.13).
namespace orrery::mpi {
namespace {

enum class Array { Integers, Addresses, LargeCounts };

Array array_of(Contents::Kind kind, bool large) {
  if (kind == Contents::Kind::Flag) return Array::Integers;
  if (large) return Array::LargeCounts;
  return kind == Contents::Kind::Count ? Array::Integers : Array::Addresses;
}

std::int64_t length_of(const Contents& contents, Array array) {
  std::int64_t length = 0;
  for (const Contents::Section& section : contents.sections) {
    if (array_of(section.kind, contents.large) == array) length += static_cast<std::int64_t>(section.values.size());
  }
  return length;
}

template <class Number>
void write(const Contents& contents, Array array, Number* out) {
  for (const Contents::Section& section : contents.sections) {
    if (array_of(section.kind, contents.large) != array) continue;
    out = std::ranges::transform(section.values, out, [](std::int64_t v) { return static_cast<Number>(v); }).out;
  }
}

void check_array_room(std::int64_t room, std::int64_t needed, const char* what) {
  if (room < needed) throw Error{err_arg, concat("room for ", room, " ", what, ", but there are ", needed)};
}

}  // namespace

void mark_large_count(Datatype& type) { type.contents.large = true; }

void type_get_envelope(const Datatype& type, std::int64_t& integers, std::int64_t& addresses,
                       std::int64_t& large_counts, std::int64_t& datatypes, int& combiner) {
  const Contents& contents = type.contents;
  integers = length_of(contents, Array::Integers);
  addresses = length_of(contents, Array::Addresses);
  large_counts = length_of(contents, Array::LargeCounts);
  datatypes = static_cast<std::int64_t>(contents.types.size());
  combiner = static_cast<int>(contents.combiner);
}

void type_get_contents(const Datatype& type, std::int64_t max_integers, std::int64_t max_addresses,
                       std::int64_t max_large_counts, std::int64_t max_datatypes, int* integers,
                       std::int64_t* addresses, std::int64_t* large_counts, Datatype** datatypes) {
  const Contents& contents = type.contents;
  if (contents.combiner == Combiner::Named) throw Error{err_type, "a predefined datatype has no contents"};
  check_array_room(max_integers, length_of(contents, Array::Integers), "integers");
  check_array_room(max_addresses, length_of(contents, Array::Addresses), "addresses");
  check_array_room(max_large_counts, length_of(contents, Array::LargeCounts), "large counts");
  check_array_room(max_datatypes, static_cast<std::int64_t>(contents.types.size()), "datatypes");
  write(contents, Array::Integers, integers);
  write(contents, Array::Addresses, addresses);
  write(contents, Array::LargeCounts, large_counts);
  for (Datatype* used : contents.types) {
    retain(*used);
    *datatypes++ = used;
  }
}

}  // namespace orrery::mpi
