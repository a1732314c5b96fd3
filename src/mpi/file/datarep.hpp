// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/datatype/shape.hpp"
#include "mpi/types.hpp"

/// Data representations (MPI-4.1, section 14.5): how data lie in a file.
namespace orrery::mpi {

struct Datarep {
  enum class Kind : std::uint8_t {
    Native,      ///< as in memory; "internal" is that as well
    External32,  ///< big-endian, IEEE, of fixed sizes
    User,        ///< the program's functions convert
  };

  std::string name = "native";
  Kind kind = Kind::Native;
  void (*read)() = nullptr;   ///< null: elements as in memory, each at the beginning of its place in the file
  void (*write)() = nullptr;  ///< likewise
  void (*extent)() = nullptr;
  void* extra = nullptr;
  bool large = false;  ///< `read` and `write` take large counts

  /// Whether data may lie otherwise in a file than in memory. Without a conversion, elements may still be farther
  /// apart.
  [[nodiscard]] bool converts() const { return kind != Kind::Native; }
};

/// The representation of this name. @throws Error (MPI_ERR_UNSUPPORTED_DATAREP)
[[nodiscard]] Datarep find_datarep(const char* name);

/// Where the data of a type lie in a file of this representation: the type with its elements' sizes exchanged.
///
/// If no size differs that is the type itself. Otherwise displacements that the type's maker gave in extents grow or
/// shrink with them; those in bytes cannot (MPI-4.1, section 14.1.1: such types are not portable).
/// @throws Error (MPI_ERR_UNSUPPORTED_DATAREP) for such types; what the program's function returns
[[nodiscard]] Shape shape_in_file(const Datatype& type, const Datarep& representation);

/// Data as they lie in a file. @throws Error (MPI_ERR_CONVERSION) when the program's function fails, or when an element
/// has less room in the file than in memory and there is no function that converts it
[[nodiscard]] std::vector<std::byte> to_file(const void* buffer, std::int64_t count, Datatype& type,
                                             const Datarep& representation);
/// The reverse. @return elements converted: those that are there as a whole
std::int64_t from_file(const std::vector<std::byte>& data, void* buffer, std::int64_t count, Datatype& type,
                       const Datarep& representation);

}  // namespace orrery::mpi
