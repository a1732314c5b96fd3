// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/sentinels.hpp"

/// The variables of the standard interface, whose names are free, and of Open MPI's. Programs have common blocks of
/// these names as well; which of them all use is the linker's business.
#ifdef ORRERY_NUMBERED_HANDLES
#define ORRERY_SENTINEL(name) mpi_fortran_##name##_
#else
#define ORRERY_SENTINEL(name) orrery_##name##_
#endif

#pragma GCC visibility push(default)
extern "C" {
int ORRERY_SENTINEL(bottom);
int ORRERY_SENTINEL(in_place);
int ORRERY_SENTINEL(buffer_automatic);
int ORRERY_SENTINEL(status_ignore)[MPI_F_STATUS_SIZE];
int ORRERY_SENTINEL(statuses_ignore)[MPI_F_STATUS_SIZE];
int ORRERY_SENTINEL(errcodes_ignore);
int ORRERY_SENTINEL(unweighted);
int ORRERY_SENTINEL(weights_empty);
char ORRERY_SENTINEL(argv_null);
char ORRERY_SENTINEL(argvs_null);
#ifndef ORRERY_NUMBERED_HANDLES  // where mpi_f08 has those of mpif.h
MPI_Status orrery_f08_status_ignore_;
MPI_Status orrery_f08_statuses_ignore_;
#endif
}
#pragma GCC visibility pop

namespace orrery::abi::fortran {

namespace {

/// C programs learn where Fortran's variables are.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = ORRERY_SENTINEL(status_ignore);
  MPI_F_STATUSES_IGNORE = ORRERY_SENTINEL(statuses_ignore);
#ifndef ORRERY_NUMBERED_HANDLES
  MPI_F08_STATUS_IGNORE = &orrery_f08_status_ignore_;
  MPI_F08_STATUSES_IGNORE = &orrery_f08_statuses_ignore_;
#endif
}

bool is_of_f08(const void* status [[maybe_unused]], bool is_array [[maybe_unused]]) {
#ifdef ORRERY_NUMBERED_HANDLES
  return false;
#else
  return status == (is_array ? &orrery_f08_statuses_ignore_ : &orrery_f08_status_ignore_);
#endif
}

}  // namespace

void* address_of(const void* buffer) {
  if (buffer == &ORRERY_SENTINEL(in_place)) return MPI_IN_PLACE;
  if (buffer == &ORRERY_SENTINEL(bottom)) return MPI_BOTTOM;
  if (buffer == &ORRERY_SENTINEL(buffer_automatic)) return MPI_BUFFER_AUTOMATIC;
  return const_cast<void*>(buffer);
}

MPI_Status* status_or_ignore(MPI_Status* status) {
  const void* const given = status;
  const bool is_ignored = given == &ORRERY_SENTINEL(status_ignore) || is_of_f08(given, false);
  return is_ignored ? MPI_STATUS_IGNORE : status;
}

MPI_Status* statuses_or_ignore(MPI_Status* statuses) {
  const void* const given = statuses;
  const bool is_ignored = given == &ORRERY_SENTINEL(statuses_ignore) || is_of_f08(given, true);
  return is_ignored ? MPI_STATUSES_IGNORE : statuses;
}

int* weights_or_none(int* weights) {
  if (weights == &ORRERY_SENTINEL(unweighted)) return MPI_UNWEIGHTED;
  if (weights == &ORRERY_SENTINEL(weights_empty)) return MPI_WEIGHTS_EMPTY;
  return weights;
}

int* codes_or_ignore(int* codes) { return codes == &ORRERY_SENTINEL(errcodes_ignore) ? MPI_ERRCODES_IGNORE : codes; }

bool is_argv_null(const char* argv) { return argv == &ORRERY_SENTINEL(argv_null); }

bool is_argvs_null(const char* argvs) { return argvs == &ORRERY_SENTINEL(argvs_null); }

}  // namespace orrery::abi::fortran
