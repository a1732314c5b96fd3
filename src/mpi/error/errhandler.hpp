// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/error/codes.hpp"
#include "mpi/presentation.hpp"
#include "mpi/types.hpp"

/// Error handlers (MPI-4.1, section 9.3).
namespace orrery::mpi {

struct Errhandler {
  enum class Action : std::uint8_t {
    Fatal,   ///< the run ends
    Abort,   ///< as Fatal: without processes that connect later, all of the communicator is all of the run
    Return,  ///< the routine returns the code
    Call,    ///< the program's function decides
  };
  /// What a function is for; the values are those that `Caller` gets.
  enum class Of : std::uint8_t { Comm, File, Window };
  /// A function of another language's bindings that calls the program's.
  using Caller = void (*)(int of, void* handle, int* code, void (*function)());

  Action action = Action::Fatal;
  void (*function)() = nullptr;  ///< void (*)(handle*, int* code, ...)
  int references = 1;            ///< not counted for the predefined ones
  Of of = Of::Comm;
  Caller caller = nullptr;  ///< null: the function is called as C's are
  const Presentation* shown_by = &presentation();
};

/// MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT and MPI_ERRORS_RETURN by their handle value in the standard ABI (0x141 to
/// 0x143), and one more that returns (0x144), by which bindings of C++ know that they have to throw; null for others.
[[nodiscard, gnu::visibility("default")]] Errhandler* predefined_errhandler(std::uint32_t abi_value);
[[nodiscard]] Errhandler& errors_are_fatal();
[[nodiscard]] Errhandler& errors_return();
void retain(Errhandler& errhandler);
void release(Errhandler& errhandler);

void comm_create_errhandler(void (*function)(), Errhandler*& errhandler);
void comm_set_errhandler(Comm& comm, Errhandler& errhandler);
void comm_get_errhandler(Comm& comm, Errhandler*& errhandler);
void comm_call_errhandler(Comm& comm, int code);
void errhandler_free(Errhandler*& errhandler);

void file_create_errhandler(void (*function)(), Errhandler*& errhandler);
/// Null is MPI_FILE_NULL, whose handler files get when they are opened: MPI_ERRORS_RETURN until the program sets
/// another.
void file_set_errhandler(File* file, Errhandler& errhandler);
void file_get_errhandler(File* file, Errhandler*& errhandler);
void file_call_errhandler(File& file, int code);

/// Lets an error handler deal with an error. @return the code that the routine returns: a function may change it
[[nodiscard]] int deal_with(Errhandler& errhandler, void* object_handle, const Error& error, const char* routine);

/// What a routine that threw returns, unless the error handler of `comm` ends the run. With null, where there is no
/// communicator at hand, the handler is that of MPI_COMM_SELF (MPI-4.1, section 9.3).
[[nodiscard]] int raise(Comm* comm, const Error& error, const char* routine);
/// What a routine of a file that threw returns; `handle` is the file's, for the function. Null: MPI_FILE_NULL.
[[nodiscard]] int raise(File* file, void* handle, const Error& error, const char* routine);
/// What a routine of a window that threw returns. Null: MPI_ERRORS_ARE_FATAL.
[[nodiscard]] int raise(Window* window, void* handle, const Error& error, const char* routine);

}  // namespace orrery::mpi
