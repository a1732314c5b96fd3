// SPDX-License-Identifier: BSD-3-Clause
#include "abi/foreign/handles.hpp"
#include "abi/foreign/numbers.hpp"
#include "abi/staged.hpp"

/// abi/staging.hpp with MPICH's handles.
#pragma GCC visibility push(default)
extern "C" {

void orrery_stage_request(int request, orrery::mpi::Staging* staging) {
  orrery::abi::stage_request(orrery::abi::foreign::handle_in<MPI_Request>(request), staging);
}

void orrery_stage_window(int window, int target, orrery::mpi::Staging* staging) {
  orrery::abi::stage_window(orrery::abi::foreign::handle_in<MPI_Win>(window), target, staging);
}

int orrery_refuse_section(int routine, int comm) {
  return orrery::abi::foreign::code(
      orrery::abi::refuse_section(routine, orrery::abi::foreign::handle_in<MPI_Comm>(comm)));
}
}
#pragma GCC visibility pop
