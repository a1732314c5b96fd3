// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/timer_reads.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "mpi/clock/deadline.hpp"
#include "mpi/clock/descriptor_waits.hpp"
#include "mpi/clock/limited_wait.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"

namespace orrery::mpi {

std::optional<ssize_t> read_timer(int descriptor, void* to, std::size_t bytes) {
  if (!program_timers::any_descriptor() || !simulated_clock::is_on()) return std::nullopt;
  const program_timers::Slot slot = program_timers::find_descriptor(descriptor);
  std::uint64_t expirations = 0;
  if (slot == program_timers::no_slot || bytes < sizeof expirations) return std::nullopt;
  if (is_null(to)) return set_errno(EFAULT);
  for (;;) {
    program_timers::fire(simulated_clock::now_ns());
    expirations = program_timers::take_expirations(slot);
    if (expirations > 0) break;
    if ((fcntl(descriptor, F_GETFL) & O_NONBLOCK) != 0) {
      errno = EAGAIN;
      return -1;
    }
    if (!program_timers::any_armed()) return std::nullopt;  // it waits until somebody sets it
    if (!wait_for_descriptor(descriptor, POLLIN, for_ever) && errno == EINTR) return -1;
  }
  static const auto original = next_function<ssize_t (*)(int, void*, std::size_t)>("read");
  std::uint64_t of_host = 0;
  (void)original(descriptor, &of_host, sizeof of_host);  // what made it readable
  std::memcpy(to, &expirations, sizeof expirations);
  return static_cast<ssize_t>(sizeof expirations);
}

}  // namespace orrery::mpi
