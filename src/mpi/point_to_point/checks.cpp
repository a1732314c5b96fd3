// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/checks.hpp"

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

void check_peer(const char* argument, int rank, const Comm& comm, const char* also) {
  const int size = comm.peers().size();
  if (rank >= 0 && rank < size) return;
  throw Error{err_rank, concat(argument, " is ", rank, ", but ", comm.name.empty() ? "the communicator" : comm.name,
                               " has ranks 0 to ", size - 1, also)};
}

void check_tag(const char* argument, int tag) {
  if (tag >= 0 && tag <= tag_upper_bound) return;
  throw Error{err_tag, concat(argument, " is ", tag, ", but tags are from 0 to ", tag_upper_bound)};
}

}  // namespace

void check_buffer(const void* buffer, std::int64_t count, const Datatype& type) {
  if (count < 0) throw Error{err_count, concat("count is ", count, ", but cannot be negative")};
  check_committed(type);
  if (buffer == nullptr && count * size_of(type) > 0 && is_contiguous(type)) {
    throw Error{err_buffer, concat("the buffer is a null pointer, but has ", count, " elements")};
  }
}

void check_dest(int dest, const Comm& comm) {
  if (dest != proc_null) check_peer("dest", dest, comm, "");
}

void check_source(int source, const Comm& comm) {
  if (source != proc_null && source != any_source) check_peer("source", source, comm, " (or MPI_ANY_SOURCE)");
}

void check_send_tag(int tag) { check_tag("tag", tag); }

void check_recv_tag(int tag) {
  if (tag != any_tag) check_tag("tag", tag);
}

}  // namespace orrery::mpi
