// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "mpi/error/codes.hpp"
#include "mpi/file/datarep.hpp"
#include "mpi/object/attributes.hpp"

namespace orrery::mpi {

/// Tables that a rank needs nobody else for: valid before MPI_Init and after MPI_Finalize too.
struct Locals {
  Keyvals keyvals;
  PredefinedAttributes predefined;
  ErrorCodes codes;
  Comm* world = nullptr;                  ///< MPI_COMM_WORLD, once it was asked for
  Comm* self = nullptr;                   ///< MPI_COMM_SELF likewise
  std::optional<Comm*> parent;            ///< once MPI_Comm_get_parent was called; null when there is none (any more)
  int ports = 0;                          ///< opened so far
  Errhandler* file_errors = nullptr;      ///< of MPI_FILE_NULL, once it was set
  std::unordered_set<const File*> files;  ///< that are open
  std::vector<Datarep> datareps;          ///< that the program registered
};

/// Those of the calling process's rank.
[[nodiscard]] Locals& locals();

}  // namespace orrery::mpi
