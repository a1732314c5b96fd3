// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>

/// Timers that the program has set by simulated time: setitimer and alarm, timer_create, timerfd
/// (docs/design/waits.md).
///
/// A timer fires when the rank waits (run_wait), at the end of an MPI call after which its time has come, when its
/// descriptor is read, and while the program does something else: then an alarm of the host looks what time it must be.
namespace orrery::mpi::program_timers {

namespace detail {
extern std::atomic<int> armed;
}

[[nodiscard]] inline bool any_armed() { return detail::armed.load(std::memory_order_relaxed) > 0; }

/// When the next fires, by simulated_clock::now_ns; `for_ever`: none will.
[[nodiscard]] std::int64_t next_ns();

/// Lets all fire that are due. @param mask what the calling thread blocks meanwhile; null: what it blocks anyway
/// @return whether a signal's handler has run
bool fire(std::int64_t now_ns, const sigset_t* mask = nullptr);

/// Fires what is due by the last answer of the kernel.
void look_after_call();

/// The host's alarm does not ring while one of these is there, whose owner looks for itself. It is set again from
/// `now_ns`, if anything is armed.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  std::int64_t now_ns = 0;

 private:
  bool active_;
};

/// What stands for a timer of the program.
enum class Kind : std::uint8_t { None, Interval, Posix, Descriptor };

using Slot = std::size_t;
inline constexpr Slot no_slot = ~Slot{0};

namespace detail {
extern std::atomic<int> descriptors;
}

/// That of setitimer and alarm; there is one.
[[nodiscard]] Slot interval_timer();
/// @return `no_slot` if there are too many
[[nodiscard]] Slot add_posix(timer_t id, const sigevent& event, clockid_t clock);
[[nodiscard]] Slot add_descriptor(int descriptor, clockid_t clock);
[[nodiscard]] Slot find_posix(timer_t id);
[[nodiscard]] Slot find_descriptor(int descriptor);
void remove(Slot slot);

/// What a timer is set to: in nanoseconds; 0: it is not armed, or does not repeat.
struct Setting {
  std::int64_t left_ns = 0;
  std::int64_t interval_ns = 0;
};
/// Arms it, or not. @return what it was set to
Setting set(Slot slot, Setting setting);
[[nodiscard]] Setting get(Slot slot);

[[nodiscard]] clockid_t clock_of(Slot slot);
/// Whether there is one of a descriptor, armed or not.
[[nodiscard]] inline bool any_descriptor() { return detail::descriptors.load(std::memory_order_relaxed) > 0; }
/// How often a descriptor's timer has fired since this was called last.
[[nodiscard]] std::uint64_t take_expirations(Slot slot);
[[nodiscard]] int overrun(Slot slot);  ///< of a POSIX timer, at its last signal

}  // namespace orrery::mpi::program_timers
