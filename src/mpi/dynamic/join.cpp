// SPDX-License-Identifier: BSD-3-Clause
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "mpi/dynamic/dynamic.hpp"
#include "mpi/dynamic/meeting_place.hpp"
#include "mpi/error/errors.hpp"

/// MPI_Comm_join: the two processes at the ends of a socket are ranks of the same run. They tell each other through it
/// which; then they agree as leaders of any two groups do.
namespace orrery::mpi {

namespace {

[[noreturn]] void socket_failed(const char* what) {
  throw Error{err_arg, concat("the socket cannot be ", what, ": ", std::strerror(errno))};
}

/// Waits until the socket can be read, and makes progress meanwhile: what the other one does before may need that.
void await_other(int descriptor) {
  constexpr int look_again_ms = 1;
  pollfd wanted{.fd = descriptor, .events = POLLIN, .revents = 0};
  for (;;) {
    this_rank().progress();
    const int ready = poll(&wanted, 1, look_again_ms);
    if (ready < 0 && errno != EINTR) socket_failed("waited for");
    if (ready > 0) return;
  }
}

std::int32_t other_end(int descriptor, std::int32_t self) {
  if (send(descriptor, &self, sizeof self, MSG_NOSIGNAL) != sizeof self) socket_failed("written");
  std::int32_t other = -1;
  await_other(descriptor);
  if (recv(descriptor, &other, sizeof other, MSG_WAITALL) != sizeof other) socket_failed("read");
  return other;
}

}  // namespace

void comm_join(int descriptor, Comm*& intercomm) {
  const auto self = this_rank().world_rank();
  const auto other = other_end(descriptor, self);
  MeetingPlace place("orrery:sockets");
  if (other < 0 || other >= place.group().size()) throw Error{err_arg, "the other end of the socket is no rank"};
  Group own;
  own.world = {self};
  intercomm = view_of(agreed_number_of_leaders(own, place.group(), other, place.comm().id, 0), nullptr);
}

}  // namespace orrery::mpi
