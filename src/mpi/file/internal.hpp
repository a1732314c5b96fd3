// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/file/file_object.hpp"

/// What the routines of files are made of.
namespace orrery::mpi {

// --- checks: @throws Error -------------------------------------------------------------------------------------------
void check_readable(const File& file);
void check_writable(const File& file);
/// Positions are the program's to choose, unless the file was opened with MPI_MODE_SEQUENTIAL.
void check_random_access(const File& file);
void check_no_split(const File& file);

/// Remembers those hints of the program that the library knows.
void keep_hints(File& file, const Info* info);

// --- time plane ------------------------------------------------------------------------------------------------------
/// Opening, closing and the like: their cost.
void use_metadata(const File& file);

enum class Move : std::uint8_t {
  By,  ///< adds
  To,  ///< sets
};
/// Moves the shared pointer, in etypes, once simulated time has come there. @return where it was before
std::int64_t move_shared_position(const File& file, std::int64_t etypes, Move move);

/// In atomic mode holds the file for this rank alone, in the order of simulated time (MPI-4.1, section 14.6.1).
class AtomicAccess {
 public:
  explicit AtomicAccess(const File& file);
  AtomicAccess(const AtomicAccess&) = delete;
  AtomicAccess& operator=(const AtomicAccess&) = delete;
  ~AtomicAccess();

 private:
  const File& file_;
};

// --- accesses: both planes -------------------------------------------------------------------------------------------
/// What is read or written, and where in the view, in etypes.
struct Access {
  bool writes = false;
  std::int64_t position = 0;
  void* buffer = nullptr;  ///< not changed by writing
  std::int64_t count = 0;
  Datatype* type = nullptr;
};

/// Etypes that the data of an access are.
/// @throws Error when they are no whole number, the arguments are wrong, or the file is not open for this
[[nodiscard]] std::int64_t etypes_of(const File& file, const Access& access);

/// Moves the data and waits in simulated time. The status says how much was moved: reading stops where the file ends.
void access_now(File& file, const Access& access, Status* status);
/// Moves the data; the request is complete when that is so in simulated time.
[[nodiscard]] Request* access_later(File& file, const Access& access);

}  // namespace orrery::mpi
