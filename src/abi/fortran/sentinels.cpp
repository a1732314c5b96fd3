// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/sentinels.hpp"

#pragma GCC visibility push(default)
extern "C" {
int orrery_bottom_;
int orrery_in_place_;
int orrery_buffer_automatic_;
int orrery_status_ignore_[MPI_F_STATUS_SIZE];
int orrery_statuses_ignore_[MPI_F_STATUS_SIZE];
MPI_Status orrery_f08_status_ignore_;
MPI_Status orrery_f08_statuses_ignore_;
int orrery_errcodes_ignore_;
int orrery_unweighted_;
int orrery_weights_empty_;
char orrery_argv_null_;
char orrery_argvs_null_;
}
#pragma GCC visibility pop

namespace orrery::abi::fortran {

namespace {

/// C programs learn where Fortran's variables are.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = orrery_status_ignore_;
  MPI_F_STATUSES_IGNORE = orrery_statuses_ignore_;
  MPI_F08_STATUS_IGNORE = &orrery_f08_status_ignore_;
  MPI_F08_STATUSES_IGNORE = &orrery_f08_statuses_ignore_;
}

}  // namespace

void* address_of(const void* buffer) {
  if (buffer == &orrery_in_place_) return MPI_IN_PLACE;
  if (buffer == &orrery_bottom_) return MPI_BOTTOM;
  if (buffer == &orrery_buffer_automatic_) return MPI_BUFFER_AUTOMATIC;
  return const_cast<void*>(buffer);
}

MPI_Status* status_or_ignore(MPI_Status* status) {
  const void* const given = status;
  const bool is_ignored = given == &orrery_status_ignore_ || given == &orrery_f08_status_ignore_;
  return is_ignored ? MPI_STATUS_IGNORE : status;
}

MPI_Status* statuses_or_ignore(MPI_Status* statuses) {
  const void* const given = statuses;
  const bool is_ignored = given == &orrery_statuses_ignore_ || given == &orrery_f08_statuses_ignore_;
  return is_ignored ? MPI_STATUSES_IGNORE : statuses;
}

int* weights_or_none(int* weights) {
  if (weights == &orrery_unweighted_) return MPI_UNWEIGHTED;
  if (weights == &orrery_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return weights;
}

int* codes_or_ignore(int* codes) { return codes == &orrery_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes; }

bool is_argv_null(const char* argv) { return argv == &orrery_argv_null_; }

bool is_argvs_null(const char* argvs) { return argvs == &orrery_argvs_null_; }

}  // namespace orrery::abi::fortran
