// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "mpi/datatype/datatype.hpp"
#include "mpi/datatype/shape.hpp"
#include "mpi/object/held.hpp"

namespace orrery::mpi {

/// What of a file a rank sees: from a displacement on, the data of copies of the filetype, one after the other.
/// Positions in a view are counted in bytes of that data, as they are in the file.
///
///     file      ....|--AA-B|--AA-B|--AA-B       displacement 4, extent 6, size 3
///     view           AABAABAAB
class View {
 public:
  /// The view of a file that was just opened: its bytes.
  View();
  /// @param etype_bytes of an etype in the file   @param filetype as it lies in the file
  View(std::int64_t displacement, std::int64_t etype_bytes, const Shape& filetype);

  [[nodiscard]] std::int64_t displacement() const { return displacement_; }
  [[nodiscard]] std::int64_t etype_bytes() const { return etype_bytes_; }

  /// A consecutive part of the file.
  using Visit = std::function<void(std::int64_t offset, std::int64_t bytes)>;
  /// The parts of the file that hold [position, position + bytes), in order; parts that touch are one.
  /// @throws Error (MPI_ERR_ARG) when a file cannot reach so far
  void parts(std::int64_t position, std::int64_t bytes, const Visit& visit) const;
  /// Where in the file a position is. In a view without data, where it begins.
  [[nodiscard]] std::int64_t offset_of(std::int64_t position) const;
  /// How many etypes lie before an offset of the file; one that is cut counts.
  [[nodiscard]] std::int64_t etypes_before(std::int64_t offset) const;
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  void check_reach(std::int64_t position) const;

  std::int64_t displacement_ = 0;
  std::int64_t etype_bytes_ = 1;
  Layout filetype_;
  std::int64_t extent_ = 1;
  std::int64_t size_ = 1;
  std::int64_t reach_ = 1;  ///< where the data of one filetype end
  bool dense_ = true;       ///< without holes: one part, however long
};

/// What the standard asks of etypes and filetypes: displacements are not negative and do not decrease, and where the
/// file may be written no byte is there twice. @throws Error (MPI_ERR_IO)
void check_layout_for_files(const Shape& shape, const char* what, bool writable);

}  // namespace orrery::mpi
