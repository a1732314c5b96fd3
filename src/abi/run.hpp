// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

#include "abi/convert.hpp"
#include "mpi/mpi.hpp"
#include "op/op.hpp"

/// What surrounds the internal function in an entry point.
namespace orrery::abi {

/// What a routine that failed returns, if the error handler of its object lets it. @param comm, file, window may be
/// null
[[nodiscard]] int failed(mpi::Comm* comm, const mpi::Error& error, op::RoutineId routine);
[[nodiscard]] int failed(mpi::File* file, const mpi::Error& error, op::RoutineId routine);
[[nodiscard]] int failed(mpi::Window* window, const mpi::Error& error, op::RoutineId routine);
[[nodiscard]] int failed(mpi::Session* session, const mpi::Error& error, op::RoutineId routine);
[[nodiscard]] int failed(mpi::Errhandler* errhandler, const mpi::Error& error, op::RoutineId routine);
/// What only a mistake of the library or a lack of memory can throw, as an error.
[[nodiscard]] mpi::Error error_of(const std::exception& exception);
/// Ends the run: the routine is not there yet.
[[noreturn]] void missing(op::RoutineId routine);

/// The object of a handle, or null: never fails, for use when something else has failed.
template <class Object>
[[nodiscard]] Object* find(HandleOf<Object> handle) {
  return Handle<Object>::object(handle);
}
/// The object, or null, where the routine is given the handle's address.
template <class Object>
[[nodiscard]] Object* find(const HandleOf<Object>* handle) {
  return handle != nullptr ? find<Object>(*handle) : nullptr;
}

/// Runs `body` as a call of `routine`; its errors go to the error handler of the object, and none leaves.
/// Only errors are caught: the unwinding of a cancelled thread passes through.
/// @param handle of the object, or its address
/// @param from where the program called: what the entry point that calls `run` returns to
template <class Object, class H, class Body>
int run(op::RoutineId routine, H handle, Body&& body, const void* from = __builtin_return_address(0)) {
  const mpi::Call call(routine, from);
  try {
    body();
    return MPI_SUCCESS;
  } catch (const mpi::Error& error) {
    return failed(find<Object>(handle), error, routine);
  } catch (const std::exception& error) {
    return failed(find<Object>(handle), error_of(error), routine);
  }
}

/// Runs a routine without an object of a class that has error handlers; with `Object`, one whose errors go
/// to the handler of the null handle.
template <class Object = mpi::Comm, class Body>
int run(op::RoutineId routine, Body&& body, const void* from = __builtin_return_address(0)) {
  return run<Object>(routine, Handle<Object>::handle(nullptr), body, from);
}

/// Runs a routine of the tool interface, which returns its errors.
template <class Body>
int run_tool(op::RoutineId routine, Body&& body) {
  const mpi::Call call(routine);
  try {
    body();
    return MPI_SUCCESS;
  } catch (const mpi::Error& error) {
    return error.error_class;
  } catch (const std::exception&) {
    return MPI_T_ERR_MEMORY;
  }
}

}  // namespace orrery::abi
