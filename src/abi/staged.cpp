// SPDX-License-Identifier: BSD-3-Clause
#include "abi/staged.hpp"

#include <memory>
#include <utility>

#include "abi/run.hpp"
#include "mpi/request/request.hpp"
#include "mpi/window/window_object.hpp"

namespace orrery::abi {

void stage_request(MPI_Request handle, mpi::Staging* staging) {
  std::unique_ptr<mpi::Staging> owned(staging);
  mpi::Request* const request = find<mpi::Request>(handle);
  if (request == nullptr) return owned->deliver();
  request->staging = std::move(owned);
}

void stage_window(MPI_Win handle, int target, mpi::Staging* staging) {
  std::unique_ptr<mpi::Staging> owned(staging);
  if (mpi::Window* const window = find<mpi::Window>(handle)) window->staged.add(target, std::move(owned));
}

int refuse_section(int routine, MPI_Comm comm) {
  return run<mpi::Comm>(static_cast<op::RoutineId>(routine), comm, [] {
    throw mpi::Error{MPI_ERR_BUFFER,
                     "the buffer is a section of an array that is not contiguous, and MPI keeps the memory itself: "
                     "pass a contiguous array"};
  });
}

}  // namespace orrery::abi
