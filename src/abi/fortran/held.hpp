// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi.h"

#include "abi/fortran/array.hpp"

/// Choice buffers of `mpi_f08` that the library may still use when the call has returned: a section cannot be copied,
/// so that a datatype of its shape is made for the call.
namespace orrery::abi::fortran {

/// A datatype for this call only, or the program's own.
class OwnDatatype {
 public:
  explicit OwnDatatype(MPI_Datatype type) : type_(type) {}
  OwnDatatype(const OwnDatatype&) = delete;
  OwnDatatype& operator=(const OwnDatatype&) = delete;
  ~OwnDatatype() {
    if (is_own_) PMPI_Type_free(&type_);
  }
  /// Takes over a datatype that is not committed yet.
  void set(MPI_Datatype type) {
    type_ = type;
    is_own_ = true;
    PMPI_Type_commit(&type_);
  }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_own_ = false;
};

/// A buffer that must be contiguous: no datatype could say where its elements are.
class Whole {
 public:
  explicit Whole(const void* descriptor) : array_(descriptor) {}
  [[nodiscard]] bool fits() const { return array_.is_contiguous(); }
  [[nodiscard]] void* address() const { return address_of(array_.base); }

 protected:
  Array array_;
};

/// `count` elements of `type` in the elements of an array, in their order: one element of a type of that shape.
/// It fits if the type has no gaps and holds whole elements of the array.
class Section : public Whole {
 public:
  Section(const void* descriptor, std::int64_t count, MPI_Datatype type);
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_.get(); }

 private:
  std::int64_t count_;
  OwnDatatype type_;
  bool fits_ = true;
};

/// Several blocks of `type` in an array: its elements must all be the same distance apart. The type then gets gaps and
/// the counts and displacements stay.
class Spread : public Whole {
 public:
  Spread(const void* descriptor, MPI_Datatype type);
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] MPI_Datatype type() const { return type_.get(); }

 private:
  OwnDatatype type_;
  bool fits_ = true;
};

/// The end of a call whose buffer does not fit: MPI_ERR_BUFFER, through the error handler of `comm`.
void refuse(int* ierror, int comm);

}  // namespace orrery::abi::fortran
