// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "mpi/datatype/object.hpp"

namespace orrery::mpi {
namespace {

constexpr std::uint32_t first_value = 0x200;
constexpr std::uint32_t last_value = 0x2ff;

/// A pair of a value and an index, for MPI_MINLOC and MPI_MAXLOC.
struct PairRow {
  std::uint32_t abi;
  const char* name;
  std::uint32_t value;
  std::uint32_t index;
};

/// Laid out like a C struct of the two (MPI-4.1, section 6.9.4), Fortran's like an array of two.
constexpr PairRow pairs[] = {
    {0x228, "MPI_FLOAT_INT", 0x210, 0x209}, {0x229, "MPI_DOUBLE_INT", 0x214, 0x209},
    {0x22a, "MPI_LONG_INT", 0x20a, 0x209},  {0x22b, "MPI_2INT", 0x209, 0x209},
    {0x22c, "MPI_SHORT_INT", 0x208, 0x209}, {0x22d, "MPI_LONG_DOUBLE_INT", 0x220, 0x209},
    {0x230, "MPI_2REAL", 0x21a, 0x21a},     {0x231, "MPI_2DOUBLE_PRECISION", 0x21c, 0x21c},
    {0x232, "MPI_2INTEGER", 0x219, 0x219},
};

Shape pair_shape(const Basic& value, const Basic& index) {
  const std::int64_t index_at = (value.size + index.alignment - 1) / index.alignment * index.alignment;
  ShapeBuilder builder;
  builder.add(0, element_shape(value));
  builder.add(index_at, element_shape(index));
  return padded(builder.finish());
}

/// All predefined types by handle value; one process has one set of them, as it has one set of handles.
class Predefined {
 public:
  Predefined() {
    for (const Basic& basic : basic_types()) add(basic.abi, basic.name, element_shape(basic));
    for (const PairRow& row : pairs) add(row.abi, row.name, pair_shape(*find_basic(row.value), *find_basic(row.index)));
    for (const AbsentType& absent : absent_types()) add(absent.abi, absent.name, {}).supported = false;
  }

  [[nodiscard]] Datatype* find(std::uint32_t abi) const {
    return abi < first_value || abi > last_value ? nullptr : types_[abi - first_value].get();
  }

 private:
  Datatype& add(std::uint32_t abi, const char* name, Shape shape) {
    Datatype* type = make_datatype(std::move(shape), {});
    type->name = name;
    type->handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(abi));
    type->abi = abi;
    type->committed = true;
    type->permanent = true;
    types_[abi - first_value].reset(type);
    return *type;
  }

  std::array<std::unique_ptr<Datatype>, last_value - first_value + 1> types_;
};

}  // namespace

Datatype* named_datatype(std::uint32_t abi_value) {
  // Never destroyed: programs call MPI from the destructors of their globals too.
  static const Predefined& predefined = *new Predefined;
  return predefined.find(abi_value);
}

Datatype* predefined_datatype(std::uint32_t abi_value) {
  Datatype* type = named_datatype(abi_value);
  return type != nullptr && type->supported ? type : nullptr;
}

bool is_of_reals(const Datatype& type) {
  if (type.basic == nullptr) return false;
  return type.basic->group == TypeGroup::FloatingPoint || type.basic->group == TypeGroup::Complex;
}

Datatype* element_type(const Datatype& type) {
  if (type.abi != 0) return predefined_datatype(type.abi);
  const std::vector<Datatype*>& used = type.contents.types;
  if (used.empty()) return type.basic != nullptr ? predefined_datatype(type.basic->abi) : nullptr;
  Datatype* first = element_type(*used.front());
  const auto same = [&](const Datatype* other) { return element_type(*other) == first; };
  return std::ranges::all_of(used, same) ? first : nullptr;
}

void type_get_value_index(Datatype& value_type, Datatype& index_type, Datatype*& pair_type) {
  pair_type = nullptr;
  for (const PairRow& row : pairs) {
    if (row.value == value_type.abi && row.index == index_type.abi) pair_type = predefined_datatype(row.abi);
  }
}

}  // namespace orrery::mpi
