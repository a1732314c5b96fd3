// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error/errhandler.hpp"

#include "mpi/file/file_object.hpp"
#include "mpi/rank/locals.hpp"

/// Error handlers of files: unlike those of communicators they return by default (MPI-4.1, section 14.7).
namespace orrery::mpi {
namespace {

Errhandler*& place_of(File* file) { return file != nullptr ? file->errhandler : locals().file_errors; }

Errhandler& file_handler_of(File* file) {
  Errhandler* errhandler = place_of(file);
  return errhandler != nullptr ? *errhandler : errors_return();
}

}  // namespace

void file_create_errhandler(void (*function)(), Errhandler*& errhandler) {
  comm_create_errhandler(function, errhandler);
  errhandler->of = Errhandler::Of::File;
}

void file_set_errhandler(File* file, Errhandler& errhandler) {
  retain(errhandler);
  Errhandler*& place = place_of(file);
  if (place != nullptr) release(*place);
  place = &errhandler;
}

void file_get_errhandler(File* file, Errhandler*& errhandler) {
  errhandler = &file_handler_of(file);
  retain(*errhandler);
}

void file_call_errhandler(File& file, int code) {
  static_cast<void>(
      deal_with(file_handler_of(&file), file.abi_handle, {code, "raised by the program"}, "MPI_File_call_errhandler"));
}

int raise(File* file, void* handle, const Error& error, const char* routine) {
  return deal_with(file_handler_of(file), handle, error, routine);
}

}  // namespace orrery::mpi
