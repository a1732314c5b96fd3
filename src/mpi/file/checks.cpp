// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/checks.hpp"

#include "base/error.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/internal.hpp"

namespace orrery::mpi {

void check_readable(const File& file) {
  if ((file.amode & mode_wronly) != 0) throw Error{err_access, concat(file.name, " was opened for writing only")};
}

void check_writable(const File& file) {
  if ((file.amode & mode_rdonly) != 0) throw Error{err_read_only, concat(file.name, " was opened for reading only")};
}

void check_random_access(const File& file) {
  if ((file.amode & mode_sequential) != 0) {
    throw Error{err_unsupported_operation,
                concat(file.name, " was opened with MPI_MODE_SEQUENTIAL: only its shared pointer can be used")};
  }
}

void check_no_split(const File& file) {
  if (file.split) throw Error{err_io, "a split collective access of this file is under way"};
}

std::int64_t etypes_of(const File& file, const Access& access) {
  check_buffer(access.buffer, access.count, *access.type);
  access.writes ? check_writable(file) : check_readable(file);
  const std::int64_t etype = size_of(*file.etype);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(access.count, size_of(*access.type), &bytes)) {
    throw Error{err_count, concat("count is ", access.count, ": more bytes than a file can have")};
  }
  if (bytes == 0) return 0;
  if (etype == 0 || bytes % etype != 0) {
    throw Error{err_io, concat(bytes, " bytes are no whole number of etypes of ", etype, " bytes")};
  }
  std::int64_t end = 0;
  const bool too_far = __builtin_add_overflow(access.position, bytes / etype, &end) ||
                       __builtin_mul_overflow(end, file.view.etype_bytes(), &end);
  if (access.position < 0 || too_far) throw Error{err_arg, concat("the offset is ", access.position)};
  return bytes / etype;
}

}  // namespace orrery::mpi
