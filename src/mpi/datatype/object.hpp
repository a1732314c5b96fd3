// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "mpi/datatype/datatype.hpp"
#include "mpi/datatype/shape.hpp"
#include "mpi/object/attributes.hpp"

namespace orrery::mpi {

/// The arguments that a type was made with, for MPI_Type_get_contents.
struct Contents {
  enum class Kind : std::uint8_t {
    Flag,     ///< always an integer
    Count,    ///< an integer, or a large count
    Address,  ///< an address, or a large count
  };
  struct Section {
    Kind kind;
    std::vector<std::int64_t> values;
  };

  Combiner combiner = Combiner::Named;
  std::vector<Section> sections;  ///< in the order of the constructor's arguments
  std::vector<Datatype*> types;   ///< retained
  bool large = false;             ///< made by the large-count form
};

struct Datatype {
  Shape shape;         ///< with types: elements, external representation
  Layout bytes;        ///< the same without: what is copied
  const Basic* basic;  ///< of all elements; null: they differ, or there are none
  Contents contents;
  std::string name;
  Attributes attributes;
  void* handle = nullptr;  ///< in the program's binary interface
  std::uint32_t abi = 0;   ///< value in the standard ABI of a predefined type
  bool supported = true;   ///< false: predefined, and the platform lacks it
  bool committed = false;
  bool permanent = false;  ///< predefined, or by MPI_Type_create_f90_*: cannot be freed
  int references = 1;      ///< the handle, requests, and types made of it
};

/// @throws Error when `bytes` from `position` on do not fit into `size`
void check_room(std::int64_t position, std::int64_t bytes, std::int64_t size);
/// @throws Error when a count of elements is negative, or the type not committed
void check_elements(std::int64_t count, const Datatype& type);
[[nodiscard]] std::vector<std::int64_t> values_of(IntArray array, std::int64_t count);

/// A new type, not committed; retains the types that it is made of.
[[nodiscard]] Datatype* make_datatype(Shape shape, Contents contents);

}  // namespace orrery::mpi
