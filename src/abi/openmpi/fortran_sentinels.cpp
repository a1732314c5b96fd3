// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/sentinels.hpp"

/// The common blocks of Open MPI's mpif.h, which are variables of its modules too. Programs have blocks of these names
/// as well; which of them all use is the linker's business.
#pragma GCC visibility push(default)
extern "C" {
int mpi_fortran_bottom_;
int mpi_fortran_in_place_;
int mpi_fortran_status_ignore_[MPI_F_STATUS_SIZE];
int mpi_fortran_statuses_ignore_[MPI_F_STATUS_SIZE];
int mpi_fortran_errcodes_ignore_;
int mpi_fortran_unweighted_;
int mpi_fortran_weights_empty_;
char mpi_fortran_argv_null_;
char mpi_fortran_argvs_null_;
}
#pragma GCC visibility pop

namespace orrery::abi::fortran {

namespace {

/// C programs learn where Fortran's variables are.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = mpi_fortran_status_ignore_;
  MPI_F_STATUSES_IGNORE = mpi_fortran_statuses_ignore_;
}

}  // namespace

void* address_of(const void* buffer) {
  if (buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return const_cast<void*>(buffer);
}

MPI_Status* status_or_ignore(MPI_Status* status) {
  const void* const given = status;
  return given == mpi_fortran_status_ignore_ ? MPI_STATUS_IGNORE : status;
}

MPI_Status* statuses_or_ignore(MPI_Status* statuses) {
  const void* const given = statuses;
  return given == mpi_fortran_statuses_ignore_ ? MPI_STATUSES_IGNORE : statuses;
}

int* weights_or_none(int* weights) {
  if (weights == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  if (weights == &mpi_fortran_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return weights;
}

int* codes_or_ignore(int* codes) { return codes == &mpi_fortran_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes; }

bool is_argv_null(const char* argv) { return argv == &mpi_fortran_argv_null_; }

bool is_argvs_null(const char* argvs) { return argvs == &mpi_fortran_argvs_null_; }

}  // namespace orrery::abi::fortran
