// SPDX-License-Identifier: BSD-3-Clause
#include "abi/run.hpp"

#include <new>

#include "mpi/errhandler.hpp"
#include "routine_names.hpp"

namespace orrery::abi {

int failed(mpi::Comm* comm, const mpi::Error& error, op::RoutineId routine) {
  return mpi::raise(comm != nullptr ? comm : error.comm, error, routine_names[routine].data());
}

int failed(mpi::Comm* comm, const std::exception& error, op::RoutineId routine) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return failed(comm, mpi::Error{memory ? MPI_ERR_NO_MEM : MPI_ERR_INTERN, error.what()}, routine);
}

void missing(op::RoutineId routine) {
  const mpi::Call call(routine);
  mpi::missing(routine_names[routine].data());
}

}  // namespace orrery::abi
