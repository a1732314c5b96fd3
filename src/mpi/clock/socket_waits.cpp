// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "mpi/clock/descriptor_waits.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"
#include "mpi/clock/timer_reads.hpp"

/// Sockets with a limit of time (SO_RCVTIMEO, SO_SNDTIMEO): what is called on them first waits for the descriptor in
/// simulated time, up to that limit. In programs without such sockets, and without timers that are read, each of these
/// functions passes on what it is given.
using namespace orrery::mpi;
namespace clock_ = simulated_clock;

namespace {

std::atomic<bool> limits_used{false};

/// Waits until a call on the descriptor would not, at most as long as its limit of this name.
/// @return false: the call fails, with what errno says
bool ready(int descriptor, short events, int limit_name) {
  if (!limits_used.load(std::memory_order_relaxed) || !clock_::is_on()) return true;
  timeval limit{};
  socklen_t bytes = sizeof limit;
  if (getsockopt(descriptor, SOL_SOCKET, limit_name, &limit, &bytes) != 0) return true;
  const std::int64_t ns = clock_::ns_of({limit.tv_sec, 0}) + limit.tv_usec * 1000;
  if (ns == 0 || (fcntl(descriptor, F_GETFL) & O_NONBLOCK) != 0) return true;
  return wait_for_descriptor(descriptor, events, ns);
}

bool readable(int descriptor, int flags = 0) {
  return (flags & MSG_DONTWAIT) != 0 || ready(descriptor, POLLIN, SO_RCVTIMEO);
}
bool writable(int descriptor, int flags = 0) {
  return (flags & MSG_DONTWAIT) != 0 || ready(descriptor, POLLOUT, SO_SNDTIMEO);
}

}  // namespace

ORRERY_REPLACES int setsockopt(int socket, int level, int name, const void* value, socklen_t bytes) noexcept {
  static const auto original = next_function<int (*)(int, int, int, const void*, socklen_t)>("setsockopt");
  if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) limits_used = true;
  return original(socket, level, name, value, bytes);
}

// --- reading ---------------------------------------------------------------------------------------------------------

ORRERY_REPLACES ssize_t read(int descriptor, void* to, std::size_t bytes) {
  static const auto original = next_function<ssize_t (*)(int, void*, std::size_t)>("read");
  if (const auto timer = read_timer(descriptor, to, bytes)) return *timer;
  return readable(descriptor) ? original(descriptor, to, bytes) : -1;
}

ORRERY_REPLACES ssize_t readv(int descriptor, const iovec* parts, int n) {
  static const auto original = next_function<ssize_t (*)(int, const iovec*, int)>("readv");
  return readable(descriptor) ? original(descriptor, parts, n) : -1;
}

ORRERY_REPLACES ssize_t recv(int socket, void* to, std::size_t bytes, int flags) {
  static const auto original = next_function<ssize_t (*)(int, void*, std::size_t, int)>("recv");
  return readable(socket, flags) ? original(socket, to, bytes, flags) : -1;
}

ORRERY_REPLACES ssize_t recvfrom(int socket, void* __restrict to, std::size_t bytes, int flags,
                                 sockaddr* __restrict from, socklen_t* __restrict from_bytes) {
  using Function = ssize_t (*)(int, void*, std::size_t, int, sockaddr*, socklen_t*);
  static const auto original = next_function<Function>("recvfrom");
  return readable(socket, flags) ? original(socket, to, bytes, flags, from, from_bytes) : -1;
}

ORRERY_REPLACES ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static const auto original = next_function<ssize_t (*)(int, msghdr*, int)>("recvmsg");
  return readable(socket, flags) ? original(socket, message, flags) : -1;
}

ORRERY_REPLACES int accept(int socket, sockaddr* __restrict from, socklen_t* __restrict from_bytes) {
  static const auto original = next_function<int (*)(int, sockaddr*, socklen_t*)>("accept");
  return readable(socket) ? original(socket, from, from_bytes) : -1;
}

ORRERY_REPLACES int accept4(int socket, sockaddr* __restrict from, socklen_t* __restrict from_bytes, int flags) {
  static const auto original = next_function<int (*)(int, sockaddr*, socklen_t*, int)>("accept4");
  return readable(socket) ? original(socket, from, from_bytes, flags) : -1;
}

// --- writing ---------------------------------------------------------------------------------------------------------

ORRERY_REPLACES ssize_t write(int descriptor, const void* from, std::size_t bytes) {
  static const auto original = next_function<ssize_t (*)(int, const void*, std::size_t)>("write");
  return writable(descriptor) ? original(descriptor, from, bytes) : -1;
}

ORRERY_REPLACES ssize_t writev(int descriptor, const iovec* parts, int n) {
  static const auto original = next_function<ssize_t (*)(int, const iovec*, int)>("writev");
  return writable(descriptor) ? original(descriptor, parts, n) : -1;
}

ORRERY_REPLACES ssize_t send(int socket, const void* from, std::size_t bytes, int flags) {
  static const auto original = next_function<ssize_t (*)(int, const void*, std::size_t, int)>("send");
  return writable(socket, flags) ? original(socket, from, bytes, flags) : -1;
}

ORRERY_REPLACES ssize_t sendto(int socket, const void* from, std::size_t bytes, int flags, const sockaddr* to,
                               socklen_t to_bytes) {
  using Function = ssize_t (*)(int, const void*, std::size_t, int, const sockaddr*, socklen_t);
  static const auto original = next_function<Function>("sendto");
  return writable(socket, flags) ? original(socket, from, bytes, flags, to, to_bytes) : -1;
}

ORRERY_REPLACES ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static const auto original = next_function<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
  return writable(socket, flags) ? original(socket, message, flags) : -1;
}

// --- as compilers call them that check sizes (_FORTIFY_SOURCE) -------------------------------------------------------

ORRERY_REPLACES ssize_t __read_chk(int descriptor, void* to, std::size_t bytes, std::size_t room) {
  static const auto original = next_function<ssize_t (*)(int, void*, std::size_t, std::size_t)>("__read_chk");
  return bytes > room ? original(descriptor, to, bytes, room) : read(descriptor, to, bytes);
}

ORRERY_REPLACES ssize_t __recv_chk(int socket, void* to, std::size_t bytes, std::size_t room, int flags) {
  static const auto original = next_function<ssize_t (*)(int, void*, std::size_t, std::size_t, int)>("__recv_chk");
  return bytes > room ? original(socket, to, bytes, room, flags) : recv(socket, to, bytes, flags);
}

ORRERY_REPLACES ssize_t __recvfrom_chk(int socket, void* __restrict to, std::size_t bytes, std::size_t room, int flags,
                                       sockaddr* __restrict from, socklen_t* __restrict from_bytes) {
  using Function = ssize_t (*)(int, void*, std::size_t, std::size_t, int, sockaddr*, socklen_t*);
  static const auto original = next_function<Function>("__recvfrom_chk");
  if (bytes > room) return original(socket, to, bytes, room, flags, from, from_bytes);
  return recvfrom(socket, to, bytes, flags, from, from_bytes);
}
