// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "mpi.h"

#include "abi/fortran/array.hpp"
#include "abi/staging.hpp"

/// Choice buffers of `mpi_f08` that the library may still use when the call has returned.
namespace orrery::abi::fortran {

/// A contiguous copy of a section.
class SectionCopy {
 public:
  enum class Use { Read, Written };
  SectionCopy(const Array& section, Use use);

  [[nodiscard]] void* address() { return copy_.data(); }
  void fill();
  /// Writes what has changed since then into the section.
  void deliver();

 private:
  Array section_;
  Use use_;
  std::vector<char> copy_;
  std::vector<char> before_;  ///< of one that is written: as the program knows it
};

/// The buffers of one call: as they are, or copies where they are not contiguous. What the call has begun keeps these.
class HeldBuffers {
 public:
  HeldBuffers();
  HeldBuffers(const HeldBuffers&) = delete;
  HeldBuffers& operator=(const HeldBuffers&) = delete;
  ~HeldBuffers();

  /// Where the library finds a buffer that it reads, or one that it writes or changes.
  [[nodiscard]] void* read(const void* descriptor) { return place(descriptor, SectionCopy::Use::Read); }
  [[nodiscard]] void* written(const void* descriptor) { return place(descriptor, SectionCopy::Use::Written); }
  /// The end of the call. @return `code`, which it gave
  int keep_for_request(int code, const int* request);
  int keep_for_window(int code, const int* window, int target);

 private:
  class Copies;
  [[nodiscard]] void* place(const void* descriptor, SectionCopy::Use use);

  std::unique_ptr<Copies> copies_;  ///< null: all are contiguous
};

/// Whether a buffer is memory that the library can keep.
[[nodiscard]] inline bool is_memory(const void* descriptor) { return Array(descriptor).is_contiguous(); }

}  // namespace orrery::abi::fortran
