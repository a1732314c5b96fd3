// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mpi/communicator/comm.hpp"
#include "mpi/file/datarep.hpp"
#include "mpi/file/view.hpp"
#include "mpi/object/info.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

/// A split collective access between its beginning and its end.
struct SplitAccess {
  const char* routine = nullptr;  ///< that ends it
  Request* request = nullptr;
};

/// An open file as one rank sees it.
struct File {
  Comm* comm =
      nullptr;  ///< of the file alone, with the members that opened it; the kernel knows the file by its number
  std::string name;
  int amode = 0;
  int descriptor = -1;  ///< of the real file
  Datatype* etype = nullptr;
  Datatype* filetype = nullptr;
  std::int64_t displacement = 0;  ///< as the program gave it
  Datarep representation;
  View view;
  std::int64_t position = 0;  ///< the individual pointer, in etypes
  bool atomic = false;
  std::optional<SplitAccess> split;
  Info hints;
  Errhandler* errhandler = nullptr;  ///< null: MPI_ERRORS_RETURN
  void* abi_handle = nullptr;        ///< in the binary interface that the program uses, for callbacks
};

/// Whether this is a file that the program has open: a handle may be kept for longer than its file.
[[nodiscard, gnu::visibility("default")]] bool is_open(const File* file);

}  // namespace orrery::mpi
