// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "abi/foreign/export.hpp"
#include "abi/foreign/handle_table.hpp"
#include "abi/foreign/statuses.hpp"
#include "special.hpp"

/// Variables and functions that MPICH's library has besides the standard's routines.

#pragma GCC visibility push(default)
extern "C" {

// The names are macros of the standard's header.
extern int* const unweighted __asm__("MPI_UNWEIGHTED");
extern int* const weights_empty __asm__("MPI_WEIGHTS_EMPTY");
extern MPI_T_pvar_handle const all_handles __asm__("MPI_T_PVAR_ALL_HANDLES");
int* const unweighted = MPI_UNWEIGHTED;
int* const weights_empty = MPI_WEIGHTS_EMPTY;
MPI_T_pvar_handle const all_handles = MPI_T_PVAR_ALL_HANDLES;

// Of Fortran, when its library is there to say where they are.
MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;
MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;
MPI_F08_status* MPI_F08_STATUS_IGNORE = nullptr;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = nullptr;
}
#pragma GCC visibility pop

namespace orrery::abi::foreign {

namespace {

/// Files have handles that are pointers; Fortran has numbers for them.
HandleTable& files() {
  static auto* const table = new HandleTable(1, true);
  return *table;
}

/// A status in Fortran is its ints.
constexpr std::size_t status_ints = sizeof(Status) / sizeof(int);

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPIR_Dup_fn(Comm, int, void*, void* value, void* new_value, int* flag) {
  *static_cast<void**>(new_value) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

ORRERY_EXPORT(int, File_c2f, (File));
int export_File_c2f(File file) { return file == nullptr ? 0 : static_cast<int>(files().number(file)); }

ORRERY_EXPORT(File, File_f2c, (int));
File export_File_f2c(int file) { return files().pointer(static_cast<std::uint32_t>(file)); }

ORRERY_EXPORT(int, Status_c2f, (const Status*, int*));
int export_Status_c2f(const Status* status, int* fortran) {
  std::memcpy(fortran, status, status_ints * sizeof(int));
  return MPI_SUCCESS;
}

ORRERY_EXPORT(int, Status_f2c, (const int*, Status*));
int export_Status_f2c(const int* fortran, Status* status) {
  std::memcpy(status, fortran, status_ints * sizeof(int));
  return MPI_SUCCESS;
}
}
#pragma GCC visibility pop

}  // namespace orrery::abi::foreign
