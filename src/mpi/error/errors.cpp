// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error/errors.hpp"

#include <array>

namespace orrery::mpi {
namespace {

struct Description {
  const char* name;
  const char* text;
};

/// In the order of the classes' values.
constexpr std::array<Description, last_predefined_class + 1> descriptions{{
    {"MPI_SUCCESS", "No error"},
    {"MPI_ERR_BUFFER", "Invalid buffer pointer"},
    {"MPI_ERR_COUNT", "Invalid count argument"},
    {"MPI_ERR_TYPE", "Invalid datatype argument"},
    {"MPI_ERR_TAG", "Invalid tag argument"},
    {"MPI_ERR_COMM", "Invalid communicator"},
    {"MPI_ERR_RANK", "Invalid rank"},
    {"MPI_ERR_REQUEST", "Invalid request handle"},
    {"MPI_ERR_ROOT", "Invalid root"},
    {"MPI_ERR_GROUP", "Invalid group"},
    {"MPI_ERR_OP", "Invalid operation"},
    {"MPI_ERR_TOPOLOGY", "Invalid topology"},
    {"MPI_ERR_DIMS", "Invalid dimension argument"},
    {"MPI_ERR_ARG", "Invalid argument of some other kind"},
    {"MPI_ERR_UNKNOWN", "Unknown error"},
    {"MPI_ERR_TRUNCATE", "Message truncated on receive"},
    {"MPI_ERR_OTHER", "Known error not in this list"},
    {"MPI_ERR_INTERN", "Internal MPI implementation error"},
    {"MPI_ERR_PENDING", "Pending request"},
    {"MPI_ERR_IN_STATUS", "Error code is in status"},
    {"MPI_ERR_ACCESS", "Permission denied"},
    {"MPI_ERR_AMODE", "Error in the access mode passed to MPI_FILE_OPEN"},
    {"MPI_ERR_ASSERT", "Invalid assertion argument"},
    {"MPI_ERR_BAD_FILE", "Invalid file name"},
    {"MPI_ERR_BASE", "Invalid base passed to MPI_FREE_MEM"},
    {"MPI_ERR_CONVERSION", "Error in a user-supplied data conversion function"},
    {"MPI_ERR_DISP", "Invalid displacement argument"},
    {"MPI_ERR_DUP_DATAREP", "Data representation identifier is already defined"},
    {"MPI_ERR_FILE_EXISTS", "File exists"},
    {"MPI_ERR_FILE_IN_USE", "File is in use by some process"},
    {"MPI_ERR_FILE", "Invalid file handle"},
    {"MPI_ERR_INFO_KEY", "Key is longer than MPI_MAX_INFO_KEY"},
    {"MPI_ERR_INFO_NOKEY", "Invalid key passed to MPI_INFO_DELETE"},
    {"MPI_ERR_INFO_VALUE", "Value is longer than MPI_MAX_INFO_VAL"},
    {"MPI_ERR_INFO", "Invalid info argument"},
    {"MPI_ERR_IO", "Other I/O error"},
    {"MPI_ERR_KEYVAL", "Invalid key value"},
    {"MPI_ERR_LOCKTYPE", "Invalid lock type argument"},
    {"MPI_ERR_NAME", "Invalid service name"},
    {"MPI_ERR_NO_MEM", "Memory is exhausted"},
    {"MPI_ERR_NOT_SAME", "Collective argument is not the same on all processes"},
    {"MPI_ERR_NO_SPACE", "Not enough space"},
    {"MPI_ERR_NO_SUCH_FILE", "File does not exist"},
    {"MPI_ERR_PORT", "Invalid port name"},
    {"MPI_ERR_QUOTA", "Quota exceeded"},
    {"MPI_ERR_READ_ONLY", "Read-only file or file system"},
    {"MPI_ERR_RMA_ATTACH", "Memory cannot be attached"},
    {"MPI_ERR_RMA_CONFLICT", "Conflicting accesses to window"},
    {"MPI_ERR_RMA_RANGE", "Target memory is not part of the window"},
    {"MPI_ERR_RMA_SHARED", "Memory cannot be shared"},
    {"MPI_ERR_RMA_SYNC", "Wrong synchronization of RMA calls"},
    {"MPI_ERR_SERVICE", "Invalid service name"},
    {"MPI_ERR_SIZE", "Invalid size argument"},
    {"MPI_ERR_SPAWN", "Error in spawning processes"},
    {"MPI_ERR_UNSUPPORTED_DATAREP", "Unsupported data representation"},
    {"MPI_ERR_UNSUPPORTED_OPERATION", "Unsupported operation"},
    {"MPI_ERR_WIN", "Invalid window argument"},
    {"MPI_ERR_RMA_FLAVOR", "Passed window has the wrong flavor for the called function"},
    {"MPI_ERR_PROC_ABORTED", "Operation failed because a peer process has aborted"},
    {"MPI_ERR_VALUE_TOO_LARGE", "Value is too large to store"},
    {"MPI_ERR_SESSION", "Invalid session argument"},
    {"MPI_ERR_ERRHANDLER", "Invalid error handler"},
    {"MPI_ERR_ABI", "The requested operation is not supported by the ABI in use"},
}};

const Description* find_description(int error_class) {
  if (error_class < 0 || error_class > last_predefined_class) return nullptr;
  return &descriptions[static_cast<std::size_t>(error_class)];
}

}  // namespace

const char* error_class_text(int error_class) {
  const Description* found = find_description(error_class);
  return found == nullptr ? nullptr : found->text;
}

const char* error_class_name(int error_class) {
  const Description* found = find_description(error_class);
  return found == nullptr ? nullptr : found->name;
}

}  // namespace orrery::mpi
