// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// Functions of the program that C calls without saying on whose behalf: operations and error handlers.
///
/// Fortran's take handles as integers. C is given one of a row of functions that differ only in their place, and each
/// calls the program's function of that place; a program has few, and every one keeps its place.
namespace orrery::abi::fortran {

using Function = void();

/// What C is given for an operation of Fortran. The run ends when all places are taken.
[[nodiscard]] MPI_User_function* user_function(Function* function);
[[nodiscard]] MPI_User_function_c* user_function_c(Function* function);

/// What C is given for an error handler of Fortran.
[[nodiscard]] MPI_Comm_errhandler_function* comm_errhandler(Function* function);
[[nodiscard]] MPI_Win_errhandler_function* win_errhandler(Function* function);
[[nodiscard]] MPI_File_errhandler_function* file_errhandler(Function* function);
[[nodiscard]] MPI_Session_errhandler_function* session_errhandler(Function* function);

}  // namespace orrery::abi::fortran
