// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/types.hpp"

namespace orrery::mpi {

/// An open file as one rank sees it.
struct File {
  Errhandler* errhandler = nullptr;  ///< null: MPI_ERRORS_RETURN
  void* abi_handle = nullptr;        ///< in the binary interface that the program uses, for callbacks
};

}  // namespace orrery::mpi
