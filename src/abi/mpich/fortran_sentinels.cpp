// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/sentinels.hpp"

/// The common blocks of MPICH's mpif.h, whose members stand for MPI_BOTTOM and its like. Programs have blocks of these
/// names as well; which of them all use is the linker's business.
#pragma GCC visibility push(default)
extern "C" {
struct {
  int bottom;
  int in_place;
  int status_ignore[MPI_F_STATUS_SIZE];
} mpipriv1_;
struct {
  int statuses_ignore[MPI_F_STATUS_SIZE];
  int errcodes_ignore;
} mpipriv2_;
struct {
  char argvs_null;
  char argv_null;
} mpiprivc_;
struct {
  int unweighted;
} mpifcmb5_;
struct {
  int weights_empty;
} mpifcmb9_;
}
#pragma GCC visibility pop

namespace orrery::abi::fortran {

namespace {

/// C programs learn where Fortran's variables are.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = mpipriv1_.status_ignore;
  MPI_F_STATUSES_IGNORE = mpipriv2_.statuses_ignore;
}

}  // namespace

void* address_of(const void* buffer) {
  if (buffer == &mpipriv1_.in_place) return MPI_IN_PLACE;
  if (buffer == &mpipriv1_.bottom) return MPI_BOTTOM;
  return const_cast<void*>(buffer);
}

MPI_Status* status_or_ignore(MPI_Status* status) {
  const void* const given = status;
  return given == mpipriv1_.status_ignore ? MPI_STATUS_IGNORE : status;
}

MPI_Status* statuses_or_ignore(MPI_Status* statuses) {
  const void* const given = statuses;
  return given == mpipriv2_.statuses_ignore ? MPI_STATUSES_IGNORE : statuses;
}

int* weights_or_none(int* weights) {
  if (weights == &mpifcmb5_.unweighted) return MPI_UNWEIGHTED;
  if (weights == &mpifcmb9_.weights_empty) return MPI_WEIGHTS_EMPTY;
  return weights;
}

int* codes_or_ignore(int* codes) { return codes == &mpipriv2_.errcodes_ignore ? MPI_ERRCODES_IGNORE : codes; }

bool is_argv_null(const char* argv) { return argv == &mpiprivc_.argv_null; }

bool is_argvs_null(const char* argvs) { return argvs == &mpiprivc_.argvs_null; }

}  // namespace orrery::abi::fortran
