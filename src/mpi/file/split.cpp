// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/split.hpp"

#include <string_view>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {

void begin_split(File& file, const char* ended_by, Request* request) { file.split = {ended_by, request}; }

void end_split(File& file, const char* routine, Status* status) {
  if (!file.split) throw Error{err_io, "no split collective access of this file is under way"};
  if (std::string_view(file.split->routine) != routine) {
    throw Error{err_io, concat("the split collective access under way is ended by ", file.split->routine)};
  }
  Request* request = file.split->request;
  file.split.reset();
  wait(request, status);
}

}  // namespace orrery::mpi
