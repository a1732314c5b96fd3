// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/fortran/sentinels.hpp"

/// Arrays as `mpi_f08` passes them: `type(*), dimension(..)`, by descriptor, so that sections need no copy.
namespace orrery::abi::fortran {

/// What a descriptor says.
///
/// Two layouts are understood, and told apart by what stands 16 bytes in: that of ISO_Fortran_binding.h, which LLVM's
/// compiler uses for all calls, has a version and non-zero codes of rank and type there; GNU's own, which gfortran uses
/// from version 9 on, the length of an element, whose upper half is 0.
struct Array {
  static constexpr int max_rank = 15;  ///< of Fortran 2018
  struct Dimension {
    std::int64_t extent;  ///< negative for the last one of an assumed-size array
    std::int64_t stride;  ///< bytes
  };

  explicit Array(const void* descriptor);

  /// True too when nobody knows where it ends, or when it is empty.
  [[nodiscard]] bool is_contiguous() const;
  [[nodiscard]] std::int64_t bytes() const;
  /// Copies all elements, in the order of Fortran, to contiguous memory.
  void gather(char* to) const;
  /// Copies from contiguous memory what differs from `before`. A section may have more elements than a call writes:
  /// what becomes of these meanwhile is the program's business.
  void scatter_changes(const char* from, const char* before) const;

  char* base;
  std::int64_t element;  ///< bytes
  int rank;
  Dimension dimensions[max_rank];
};

/// Where an array begins, or what its variable stands for (MPI_IN_PLACE).
[[nodiscard]] inline void* base_of(const void* descriptor) { return address_of(Array(descriptor).base); }

/// A choice buffer that a call reads and that it does not need afterwards: copied if it is not contiguous.
class ChoiceIn {
 public:
  explicit ChoiceIn(const void* descriptor) : array_(descriptor) {
    if (array_.is_contiguous()) return;
    copy_.resize(static_cast<std::size_t>(array_.bytes()));
    array_.gather(copy_.data());
  }
  operator void*() { return copy_.empty() ? address_of(array_.base) : copy_.data(); }

 protected:
  Array array_;
  std::vector<char> copy_;
};

/// A choice buffer that the call writes, or reads and writes.
class ChoiceOut : public ChoiceIn {
 public:
  explicit ChoiceOut(const void* descriptor) : ChoiceIn(descriptor), before_(copy_) {}
  ChoiceOut(const ChoiceOut&) = delete;
  ChoiceOut& operator=(const ChoiceOut&) = delete;
  ~ChoiceOut() {
    if (!copy_.empty()) array_.scatter_changes(copy_.data(), before_.data());
  }

 private:
  std::vector<char> before_;
};

}  // namespace orrery::abi::fortran
