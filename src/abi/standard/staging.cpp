// SPDX-License-Identifier: BSD-3-Clause
#include "abi/staging.hpp"

#include "abi/staged.hpp"

#pragma GCC visibility push(default)

void orrery_stage_request(MPI_Request request, orrery::mpi::Staging* staging) {
  orrery::abi::stage_request(request, staging);
}

void orrery_stage_window(MPI_Win window, int target, orrery::mpi::Staging* staging) {
  orrery::abi::stage_window(window, target, staging);
}

int orrery_refuse_section(int routine, MPI_Comm comm) { return orrery::abi::refuse_section(routine, comm); }

#pragma GCC visibility pop
