// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error/errhandler.hpp"

#include <iterator>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

namespace {

using HandlerFunction = void (*)(void* handle, int* code, ...);

constexpr std::uint32_t first_predefined = 0x141;
Errhandler predefined_errhandlers[] = {
    {Errhandler::Action::Fatal, nullptr, 1},
    {Errhandler::Action::Abort, nullptr, 1},
    {Errhandler::Action::Return, nullptr, 1},
    {Errhandler::Action::Return, nullptr, 1},
};

bool is_predefined_errhandler(const Errhandler& errhandler) {
  return &errhandler >= std::begin(predefined_errhandlers) && &errhandler < std::end(predefined_errhandlers);
}

/// The standard's class, so that the message of a fatal error can name it, and what the program says of its own codes.
Error described(const Error& error) {
  if (error.error_class <= last_predefined_class) return error;
  return {err_other, concat("error code ", error.error_class, " (", error_text(error.error_class), "): ", error.text)};
}

/// Whose handler deals with errors of calls without an object: that of MPI_COMM_SELF since MPI-4.0 (section 9.3), that
/// of MPI_COMM_WORLD before. A program of either time gets the one that it has set.
Comm& comm_of_no_object() { return comm_self().errhandler != nullptr ? comm_self() : comm_world(); }

Errhandler& own_comm_handler(const Comm& comm) {
  return comm.errhandler != nullptr ? *comm.errhandler : errors_are_fatal();
}

/// A communicator for which no handler was ever set, nor for those that it was made from, has that of MPI_COMM_WORLD as
/// it is now, not as it was when the communicator was made: MPICH does so, and programs rely on it.
Errhandler& comm_handler_of(const Comm& comm) {
  const Comm* world = locals().world;
  return comm.errhandler == nullptr && world != nullptr ? own_comm_handler(*world) : own_comm_handler(comm);
}

}  // namespace

int deal_with(Errhandler& errhandler, void* object_handle, const Error& error, const char* routine) {
  int code = error.error_class;
  switch (errhandler.action) {
    case Errhandler::Action::Fatal:
    case Errhandler::Action::Abort: fatal(routine, described(error));
    case Errhandler::Action::Return: break;
    case Errhandler::Action::Call:
      // The function is given the address of a handle.
      object_handle = errhandler.shown_by->handle(object_handle);
      code = errhandler.shown_by->code(code);
      if (errhandler.caller != nullptr) {
        errhandler.caller(static_cast<int>(errhandler.of), &object_handle, &code, errhandler.function);
      } else {
        reinterpret_cast<HandlerFunction>(errhandler.function)(&object_handle, &code);
      }
      code = errhandler.shown_by->code_from(code);
  }
  return code;
}

Errhandler* predefined_errhandler(std::uint32_t abi_value) {
  const auto i = abi_value - first_predefined;
  return i < std::size(predefined_errhandlers) ? &predefined_errhandlers[i] : nullptr;
}

Errhandler& errors_are_fatal() { return predefined_errhandlers[0]; }

Errhandler& errors_return() { return predefined_errhandlers[2]; }

void retain(Errhandler& errhandler) {
  if (!is_predefined_errhandler(errhandler)) ++errhandler.references;
}

void release(Errhandler& errhandler) {
  if (!is_predefined_errhandler(errhandler) && --errhandler.references == 0) delete &errhandler;
}

void comm_create_errhandler(void (*function)(), Errhandler*& errhandler) {
  if (function == nullptr) throw Error{err_arg, "the error handler's function is a null pointer"};
  errhandler = new Errhandler{Errhandler::Action::Call, function, 1};
}

void comm_set_errhandler(Comm& comm, Errhandler& errhandler) {
  retain(errhandler);
  if (comm.errhandler != nullptr) release(*comm.errhandler);
  comm.errhandler = &errhandler;
}

void comm_get_errhandler(Comm& comm, Errhandler*& errhandler) {
  errhandler = &own_comm_handler(comm);
  retain(*errhandler);
}

void comm_call_errhandler(Comm& comm, int code) {
  static_cast<void>(
      deal_with(comm_handler_of(comm), comm.abi_handle, {code, "raised by the program"}, "MPI_Comm_call_errhandler"));
}

void errhandler_free(Errhandler*& errhandler) {
  release(*errhandler);
  errhandler = nullptr;
}

int raise(Comm* comm, const Error& error, const char* routine) {
  if (comm == nullptr && rank_if_running() == nullptr) fatal(routine, described(error));
  Comm& object = comm != nullptr ? *comm : comm_of_no_object();
  return deal_with(comm_handler_of(object), object.abi_handle, error, routine);
}

}  // namespace orrery::mpi
