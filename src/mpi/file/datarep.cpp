// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/datarep.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/object/held.hpp"
#include "mpi/rank/locals.hpp"

namespace orrery::mpi {
namespace {

using Extent = int (*)(void* type, std::intptr_t* extent, void* extra);
using Convert = int (*)(void* buffer, void* type, int count, void* data, std::int64_t position, void* extra);
using ConvertLarge = int (*)(void* buffer, void* type, std::int64_t count, void* data, std::int64_t position,
                             void* extra);

void add_datarep(Datarep added, const char* name) {
  if (name == nullptr) throw Error{err_arg, "the name of the data representation is a null pointer"};
  if (std::strlen(name) >= max_datarep_string) throw Error{err_arg, "the name of the data representation is too long"};
  added.name = name;
  auto& known = locals().datareps;
  const bool taken = std::ranges::any_of(known, [&](const Datarep& other) { return other.name == added.name; });
  if (taken || added.name == "native" || added.name == "internal" || added.name == "external32") {
    throw Error{err_dup_datarep, concat("the data representation \"", name, "\" is defined already")};
  }
  if (added.extent == nullptr) throw Error{err_arg, "the function that gives extents is a null pointer"};
  added.kind = Datarep::Kind::User;
  known.push_back(std::move(added));
}

bool is_predefined_type(const Datatype& type) { return type.abi != 0; }

/// Bytes of a predefined type in a file.
std::int64_t element_bytes(const Datatype& type, const Datarep& representation) {
  if (representation.kind == Datarep::Kind::External32) {
    std::int64_t size = 0;
    pack_external_size("external32", 1, type, size);
    return size;
  }
  std::intptr_t extent = 0;
  const int code = reinterpret_cast<Extent>(representation.extent)(abi_handle(type), &extent, representation.extra);
  if (code != success) throw Error{code, concat("the extent function of \"", representation.name, "\" failed")};
  if (extent < 0) throw Error{err_conversion, concat("the extent of an element is ", extent)};
  return extent;
}

bool same_as_in_memory(const Datatype& type, const Datarep& representation) {
  if (is_predefined_type(type)) return element_bytes(type, representation) == extent_of(type);
  return std::ranges::all_of(type.contents.types,
                             [&](const Datatype* part) { return same_as_in_memory(*part, representation); });
}

/// The type made again by its own constructor, of bytes.
Datatype* remade(const Datatype& type, const Datarep& representation);

Datatype* remade_element(const Datatype& type, const Datarep& representation) {
  Datatype* bytes = nullptr;
  type_contiguous(element_bytes(type, representation), type_byte(), bytes);
  return bytes;
}

Datatype* remade_of(const Datatype& type, Datatype& part) {
  const auto& sections = type.contents.sections;
  const auto number = [&](std::size_t i) { return sections[i].values[0]; };
  const auto list = [&](std::size_t i) { return IntArray(sections[i].values.data()); };
  Datatype* made = nullptr;
  switch (type.contents.combiner) {
    case Combiner::Dup: type_dup(part, made); break;
    case Combiner::Contiguous: type_contiguous(number(0), part, made); break;
    case Combiner::Vector: type_vector(number(0), number(1), number(2), part, made); break;
    case Combiner::Indexed: type_indexed(number(0), list(1), list(2), part, made); break;
    case Combiner::IndexedBlock: type_create_indexed_block(number(0), number(1), list(2), part, made); break;
    case Combiner::Subarray:
      type_create_subarray(static_cast<int>(number(0)), list(1), list(2), list(3), static_cast<int>(number(4)), part,
                           made);
      break;
    case Combiner::Darray:
      type_create_darray(static_cast<int>(number(0)), static_cast<int>(number(1)), static_cast<int>(number(2)), list(3),
                         list(4), list(5), list(6), static_cast<int>(number(7)), part, made);
      break;
    default:
      throw Error{err_unsupported_datarep,
                  "the type has displacements in bytes, and its elements are of other sizes in the file"};
  }
  return made;
}

Datatype* remade(const Datatype& type, const Datarep& representation) {
  if (is_predefined_type(type) || type.contents.types.empty()) return remade_element(type, representation);
  Datatype* part = remade(*type.contents.types[0], representation);
  const Held<Datatype> held(*part);
  release(*part);
  return remade_of(type, *part);
}

std::int64_t bytes_in_file(const Datatype& type, const Datarep& representation) {
  return shape_in_file(type, representation).size();
}

/// Elements of one predefined type without a conversion, packed in memory and each in its place in a file.
struct Elements {
  std::size_t in_memory;  ///< bytes of one
  std::size_t in_file;    ///< likewise, not less
  std::size_t count;
};

/// How the elements of `count` items of a type lie in a file whose representation has no conversion for them; nothing
/// if as in memory.
std::optional<Elements> spread_elements(std::int64_t count, const Datatype& type, const Datarep& representation) {
  if (count == 0 || size_of(type) == 0 || same_as_in_memory(type, representation)) return {};
  const Datatype& element = *element_type(type);  // other types have no shape in such a file
  const std::int64_t in_memory = size_of(element);
  const std::int64_t in_file = element_bytes(element, representation);
  if (in_file < in_memory) {
    throw Error{err_conversion, concat("an element of ", in_memory, " bytes has ", in_file, " in files of \"",
                                       representation.name, "\", which has no function that converts it")};
  }
  return Elements{static_cast<std::size_t>(in_memory), static_cast<std::size_t>(in_file),
                  static_cast<std::size_t>(count * size_of(type) / in_memory)};
}

/// Bytes between elements in the file are 0.
void spread(const void* buffer, std::int64_t count, const Datatype& type, const Datarep& representation,
            std::byte* data) {
  const auto elements = spread_elements(count, type, representation);
  if (!elements) return pack(buffer, count, type, data);
  std::vector<std::byte> packed(elements->count * elements->in_memory);
  pack(buffer, count, type, packed.data());
  for (std::size_t i = 0; i < elements->count; ++i) {
    std::copy_n(packed.data() + i * elements->in_memory, elements->in_memory, data + i * elements->in_file);
  }
}

void draw_together(const std::byte* data, void* buffer, std::int64_t count, const Datatype& type,
                   const Datarep& representation) {
  const auto elements = spread_elements(count, type, representation);
  if (!elements) return unpack(data, count * size_of(type), buffer, count, type);
  std::vector<std::byte> packed(elements->count * elements->in_memory);
  for (std::size_t i = 0; i < elements->count; ++i) {
    std::copy_n(data + i * elements->in_file, elements->in_memory, packed.data() + i * elements->in_memory);
  }
  unpack(packed.data(), count * size_of(type), buffer, count, type);
}

void convert(void (*function)(), void* buffer, std::int64_t count, Datatype& type, void* data,
             const Datarep& representation) {
  const int code =
      representation.large
          ? reinterpret_cast<ConvertLarge>(function)(buffer, abi_handle(type), count, data, 0, representation.extra)
          : reinterpret_cast<Convert>(function)(buffer, abi_handle(type), static_cast<int>(count), data, 0,
                                                representation.extra);
  if (code != success) {
    throw Error{err_conversion, concat("a conversion function of \"", representation.name, "\" failed")};
  }
}

}  // namespace

void register_datarep(const char* name, void (*read)(), void (*write)(), void (*extent)(), void* extra) {
  add_datarep({.read = read, .write = write, .extent = extent, .extra = extra}, name);
}

void register_datarep_c(const char* name, void (*read)(), void (*write)(), void (*extent)(), void* extra) {
  add_datarep({.read = read, .write = write, .extent = extent, .extra = extra, .large = true}, name);
}

Datarep find_datarep(const char* name) {
  if (name == nullptr) throw Error{err_arg, "the name of the data representation is a null pointer"};
  const std::string wanted = name;
  if (wanted == "native" || wanted == "NATIVE") return {};
  if (wanted == "internal" || wanted == "INTERNAL") return {.name = "internal"};
  if (wanted == "external32" || wanted == "EXTERNAL32") {
    return {.name = "external32", .kind = Datarep::Kind::External32};
  }
  for (const Datarep& known : locals().datareps) {
    if (known.name == wanted) return known;
  }
  throw Error{err_unsupported_datarep, concat("there is no data representation \"", wanted, "\"")};
}

Shape shape_in_file(const Datatype& type, const Datarep& representation) {
  if (!representation.converts() || same_as_in_memory(type, representation)) return type.shape;
  Datatype* made = remade(type, representation);
  Shape shape = made->shape;
  release(*made);
  return shape;
}

std::vector<std::byte> to_file(const void* buffer, std::int64_t count, Datatype& type, const Datarep& representation) {
  std::vector<std::byte> data(static_cast<std::size_t>(count * bytes_in_file(type, representation)));
  if (representation.kind == Datarep::Kind::External32) {
    std::int64_t position = 0;
    pack_external("external32", buffer, count, type, data.data(), static_cast<std::int64_t>(data.size()), position);
  } else if (representation.write != nullptr) {
    convert(representation.write, const_cast<void*>(buffer), count, type, data.data(), representation);
  } else {
    spread(buffer, count, type, representation, data.data());
  }
  return data;
}

std::int64_t from_file(const std::vector<std::byte>& data, void* buffer, std::int64_t count, Datatype& type,
                       const Datarep& representation) {
  const std::int64_t each = bytes_in_file(type, representation);
  const std::int64_t whole = each == 0 ? count : std::min(count, static_cast<std::int64_t>(data.size()) / each);
  if (representation.kind == Datarep::Kind::External32) {
    std::int64_t position = 0;
    unpack_external("external32", data.data(), static_cast<std::int64_t>(data.size()), position, buffer, whole, type);
  } else if (representation.read != nullptr) {
    convert(representation.read, buffer, whole, type, const_cast<std::byte*>(data.data()), representation);
  } else {
    draw_together(data.data(), buffer, whole, type, representation);
  }
  return whole;
}

}  // namespace orrery::mpi
