// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/datatype/object.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

/// The basic type of all elements, or null.
const Basic* common_basic(const Layout& layout) {
  if (!layout) return nullptr;
  const auto of = [](const Part& part) { return part.basic != nullptr ? part.basic : common_basic(part.child); };
  const Basic* first = of(layout->parts.front());
  const auto same = [&](const Part& part) { return of(part) == first; };
  return std::all_of(layout->parts.begin(), layout->parts.end(), same) ? first : nullptr;
}

bool beyond_int(std::int64_t value) {
  return value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max();
}

/// Counts beyond int can be decoded only as large counts. (Addresses fit either way.)
bool needs_large_counts(const Contents& contents) {
  return std::ranges::any_of(contents.sections, [](const Contents::Section& section) {
    return section.kind == Contents::Kind::Count && std::ranges::any_of(section.values, beyond_int);
  });
}

}  // namespace

Datatype* make_datatype(Shape shape, Contents contents) {
  for (Datatype* type : contents.types) retain(*type);
  contents.large = contents.large || needs_large_counts(contents);
  const Basic* basic = common_basic(shape.layout);
  Layout bytes = basic != nullptr ? shape.layout : without_types(shape.layout);
  return new Datatype{.shape = std::move(shape),
                      .bytes = std::move(bytes),
                      .basic = basic,
                      .contents = std::move(contents),
                      .name = {},
                      .attributes = {}};
}

void retain(Datatype& type) {
  if (!type.permanent) ++type.references;
}

void release(Datatype& type) {
  if (type.permanent || --type.references > 0) return;
  for (Datatype* used : type.contents.types) release(*used);
  delete &type;
}

void check_committed(const Datatype& type) {
  if (!type.committed) throw Error{err_type, "the datatype was not committed (MPI_Type_commit)"};
}

void check_elements(std::int64_t count, const Datatype& type) {
  if (count < 0) throw Error{err_count, concat("count is negative: ", count)};
  check_committed(type);
}

void check_room(std::int64_t position, std::int64_t bytes, std::int64_t size) {
  if (position < 0 || bytes > size - position) {
    throw Error{err_truncate, concat(bytes, " bytes at position ", position, " do not fit into ", size)};
  }
}

std::vector<std::int64_t> values_of(IntArray array, std::int64_t count) {
  std::vector<std::int64_t> copied(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) copied[static_cast<std::size_t>(i)] = array[i];
  return copied;
}

std::int64_t size_of(const Datatype& type) { return type.shape.size(); }
std::int64_t extent_of(const Datatype& type) { return type.shape.extent(); }
std::int64_t lower_bound_of(const Datatype& type) { return type.shape.lb; }

Span span_of(const Datatype& type, std::int64_t count) {
  if (count <= 0 || !type.shape.layout) return {};
  const std::int64_t last = (count - 1) * type.shape.extent();
  const std::int64_t first = std::min<std::int64_t>(0, last) + type.shape.true_lb;
  return {first, std::max<std::int64_t>(0, last) + type.shape.true_ub - first};
}

bool is_contiguous(const Datatype& type) {
  const Layout& bytes = type.bytes;
  if (!bytes) return true;
  return bytes->is_run() && bytes->places[0].displacement == 0 && bytes->size == type.shape.extent();
}

void* abi_handle(const Datatype& type) { return type.handle; }
void set_abi_handle(Datatype& type, void* handle) { type.handle = handle; }
std::uint32_t abi_value_of(const Datatype& type) { return type.abi; }

void type_commit(Datatype*& type) { type->committed = true; }

void type_free(Datatype*& type) {
  if (type->permanent) throw Error{err_type, "predefined datatypes cannot be freed"};
  if (!type->attributes.list.empty()) delete_attributes(type->attributes, type->handle);
  release(*type);
  type = nullptr;
}

void type_size(const Datatype& type, std::int64_t& size) { size = type.supported ? type.shape.size() : undefined; }

void type_get_extent(const Datatype& type, std::int64_t& lb, std::int64_t& extent) {
  if (!type.supported) {
    lb = extent = undefined;
    return;
  }
  lb = type.shape.lb;
  extent = type.shape.extent();
}

void type_get_true_extent(const Datatype& type, std::int64_t& lb, std::int64_t& extent) {
  if (!type.supported) return type_get_extent(type, lb, extent);
  lb = type.shape.true_lb;
  extent = type.shape.true_ub - type.shape.true_lb;
}

void type_set_name(Datatype& type, const char* name) {
  type.name = name;
  if (type.name.size() >= max_object_name) type.name.resize(max_object_name - 1);
}

void type_get_name(const Datatype* type, char* name, int& length) {
  const std::string_view text = type == nullptr ? "MPI_DATATYPE_NULL" : std::string_view(type->name);
  length = static_cast<int>(text.copy(name, max_object_name - 1));
  name[length] = '\0';
}

void type_create_keyval(void (*copy)(), void (*destroy)(), int& key, void* extra) {
  create_keyval(Cacher::Type, copy, destroy, key, extra);
}
void type_free_keyval(int& key) { free_keyval(Cacher::Type, key); }
void type_set_attr(Datatype& type, int key, void* value) {
  set_attribute(Cacher::Type, type.attributes, type.handle, key, value);
}
void type_get_attr(const Datatype& type, int key, void* value, bool& flag) {
  get_attribute(Cacher::Type, type.attributes, key, static_cast<void**>(value), flag);
}
void type_delete_attr(Datatype& type, int key) { delete_attribute(Cacher::Type, type.attributes, type.handle, key); }

}  // namespace orrery::mpi
