// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi.hpp"

/// What Open MPI's bindings of C++ (libmpi_cxx.so.40), which are a library on top of C's, look for in that library.
/// Programs of C++ need them even if they call C's routines alone: mpi.h says so to their compiler. Calls of the
/// bindings work as far as they lead to routines; functions of the program (operations, error handlers, attributes) are
/// called by what is inside Open MPI, and end the run here.
namespace orrery::abi::foreign {
namespace {

/// Ends the run. @param routine of the bindings
[[noreturn]] void missing(const char* routine) { mpi::missing(routine); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// No program has error codes without a class; no representation of data is registered.
int ompi_errcode_intern_lastused = 0;
alignas(16) char ompi_errcodes_intern[0x78] = {};
alignas(16) char ompi_registered_datareps[0x40] = {};

void ompi_attr_create_keyval() { missing("MPI::Create_keyval of Open MPI's bindings of C++"); }
void ompi_errhandler_create() { missing("MPI::Create_errhandler of Open MPI's bindings of C++"); }
void ompi_errhandler_invoke() { missing("MPI::Call_errhandler of Open MPI's bindings of C++"); }
void ompi_op_set_cxx_callback() { missing("MPI::Op::Init of Open MPI's bindings of C++"); }
}
#pragma GCC visibility pop

}  // namespace orrery::abi::foreign
