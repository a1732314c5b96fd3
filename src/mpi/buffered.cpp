// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/buffered.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/rank.hpp"

namespace orrery::mpi {

void AttachedBuffer::check_room(std::int64_t bytes) const {
  if (!attached) throw Error{err_buffer, "no buffer is attached: call MPI_Buffer_attach before a buffered send"};
  if (bytes <= size) return;
  throw Error{err_buffer, concat("a message of ", bytes, " bytes does not fit into the attached buffer of ", size)};
}

void buffer_attach(void* buffer, std::int64_t size) {
  AttachedBuffer& current = this_rank().attached_buffer();
  if (current.attached) throw Error{err_buffer, "a buffer is attached already"};
  if (size < 0) throw Error{err_arg, concat("size is ", size, ", but cannot be negative")};
  const bool automatic = buffer == buffer_automatic;
  current = {buffer, automatic ? std::numeric_limits<std::int64_t>::max() : size, true};
}

void buffer_detach(void* buffer_address, std::int64_t& size) {
  const AttachedBuffer old = std::exchange(this_rank().attached_buffer(), {});
  *static_cast<void**>(buffer_address) = old.address;
  size = old.address == buffer_automatic ? 0 : old.size;
}

void buffer_flush() { this_rank().progress(); }

}  // namespace orrery::mpi
