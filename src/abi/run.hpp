// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

#include "abi/convert.hpp"
#include "mpi/mpi.hpp"
#include "op/op.hpp"

/// What surrounds the internal function in an entry point.
namespace orrery::abi {

/// What a routine that failed returns, if its error handler lets it. @param comm may be null
[[nodiscard]] int failed(mpi::Comm* comm, const mpi::Error& error, op::RoutineId routine);
/// The same for what only a mistake of the library or a lack of memory can throw.
[[nodiscard]] int failed(mpi::Comm* comm, const std::exception& error, op::RoutineId routine);
/// Ends the run: the routine is not there yet.
[[noreturn]] void missing(op::RoutineId routine);

/// The communicator of a handle, or null: never fails, for use when something else has failed.
[[nodiscard]] inline mpi::Comm* find(HandleOf<mpi::Comm> comm) { return Handle<mpi::Comm>::object(comm); }

/// Runs `body` as a call of `routine`; its errors go to the error handler of `comm`, and none leaves.
/// Only errors are caught: the unwinding of a cancelled thread passes through.
template <class Body>
int run(op::RoutineId routine, HandleOf<mpi::Comm> comm, Body&& body) {
  const mpi::Call call(routine);
  try {
    body();
    return MPI_SUCCESS;
  } catch (const mpi::Error& error) {
    return failed(find(comm), error, routine);
  } catch (const std::exception& error) {
    return failed(find(comm), error, routine);
  }
}

/// The same for routines without a communicator.
template <class Body>
int run(op::RoutineId routine, Body&& body) {
  return run(routine, Handle<mpi::Comm>::handle(nullptr), body);
}

}  // namespace orrery::abi
