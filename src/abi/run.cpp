// SPDX-License-Identifier: BSD-3-Clause
#include "abi/run.hpp"

#include <cstring>
#include <iterator>
#include <new>

#include "mpi/channel/local_calls.hpp"
#include "mpi/error/errhandler.hpp"
#include "routine_names.hpp"

namespace orrery::abi {
namespace {

static_assert(std::size(routine_names) <= mpi::channel::LocalCalls::most_routines);

/// A handle as error handlers travel with it: in the bytes of a pointer, whatever its type.
template <class C>
void* carried(C handle) {
  static_assert(sizeof handle <= sizeof(void*));
  void* bytes = nullptr;
  std::memcpy(&bytes, &handle, sizeof handle);
  return bytes;
}

}  // namespace

int failed(mpi::Comm* comm, const mpi::Error& error, op::RoutineId routine) {
  mpi::Comm* object = comm != nullptr ? comm : error.comm;
  return mpi::raise(error.of_no_object ? nullptr : object, error, routine_names[routine].data());
}

int failed(mpi::File* file, const mpi::Error& error, op::RoutineId routine) {
  return mpi::raise(file, carried(Handle<mpi::File>::handle(file)), error, routine_names[routine].data());
}

/// Without a window its communicator's handler is not known either: that of calls without an object deals with it.
int failed(mpi::Window* window, const mpi::Error& error, op::RoutineId routine) {
  if (window == nullptr) return failed(static_cast<mpi::Comm*>(nullptr), error, routine);
  return mpi::raise(window, carried(Handle<mpi::Window>::handle(window)), error, routine_names[routine].data());
}

int failed(mpi::Session* session, const mpi::Error& error, op::RoutineId routine) {
  if (session == nullptr) return failed(static_cast<mpi::Comm*>(nullptr), error, routine);
  return mpi::deal_with(*session->errhandler, carried(Handle<mpi::Session>::handle(session)), error,
                        routine_names[routine].data());
}

int failed(mpi::Errhandler* errhandler, const mpi::Error& error, op::RoutineId routine) {
  if (errhandler == nullptr) return failed(static_cast<mpi::Comm*>(nullptr), error, routine);
  return mpi::deal_with(*errhandler, carried(Handle<mpi::Comm>::handle(nullptr)), error, routine_names[routine].data());
}

mpi::Error error_of(const std::exception& exception) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&exception) != nullptr;
  return mpi::Error{memory ? MPI_ERR_NO_MEM : MPI_ERR_INTERN, exception.what()};
}

void missing(op::RoutineId routine) {
  const mpi::Call call(routine);
  mpi::missing(routine_names[routine].data());
}

}  // namespace orrery::abi
