// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/object/held.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

/// The elements of `data` from `first` on.
[[nodiscard]] Data part_of(const Data& data, std::int64_t first, std::int64_t count);

/// Data that keeps its datatype alive: a program may free a type while a call is under way.
struct HeldData : Data {
  HeldData() = default;
  /// @throws Error when the count is negative
  HeldData(const void* data_buffer, std::int64_t data_count, Datatype& data_type);
  Held<Datatype> held;
};

/// Where each rank's block lies in a buffer. Arrays of the caller are copied: it may free them before an immediate call
/// is complete.
class Blocks {
 public:
  Blocks() = default;
  /// `count` elements each, one after the other.
  Blocks(const void* buffer, std::int64_t count, Datatype& type);
  /// Displacements in extents of the type. @throws Error when a count is negative
  Blocks(const void* buffer, int size, const IntArray& counts, const IntArray& displacements, Datatype& type);
  /// Displacements in bytes. @throws Error when a count is negative
  Blocks(const void* buffer, int size, const IntArray& counts, const IntArray& displacements, Datatype* const* types);

  [[nodiscard]] Data operator[](int rank) const;
  /// All blocks as one run of elements, if they are one.
  [[nodiscard]] std::optional<Data> whole(int size) const;
  /// Appends the bytes of each block.
  void append_bytes(int size, std::vector<std::int64_t>& bytes) const;
  [[nodiscard]] std::int64_t total_bytes(int size) const;

 private:
  struct Block {
    std::int64_t count;
    std::int64_t offset;  ///< in bytes
    Datatype* type;
  };

  Data first_;  ///< with equal blocks, the first
  std::vector<Block> varying_;
  std::vector<Held<Datatype>> types_;
};

}  // namespace orrery::mpi
