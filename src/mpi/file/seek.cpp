// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/seek.hpp"

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/file/system.hpp"

namespace orrery::mpi {

std::int64_t sought(const File& file, std::int64_t offset, int whence, std::int64_t position) {
  std::int64_t from = 0;
  switch (whence) {
    case seek_set: break;
    case seek_cur: from = position; break;
    case seek_end: from = file.view.etypes_before(size_of_file(file.descriptor, file.name)); break;
    default: throw Error{err_arg, concat("whence is ", whence, ": no way to seek")};
  }
  std::int64_t to = 0;
  if (__builtin_add_overflow(from, offset, &to) || to < 0) {
    throw Error{err_arg, concat("the offset ", offset, " leads to before the beginning of the view")};
  }
  return to;
}

}  // namespace orrery::mpi
