// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/program_timers.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/errno_kept.hpp"
#include "mpi/clock/host_alarm.hpp"
#include "mpi/clock/limited_wait.hpp"
#include "mpi/clock/replaces.hpp"
#include "mpi/clock/simulated_clock.hpp"

namespace orrery::mpi {

std::atomic<int> program_timers::detail::armed{0};
std::atomic<int> program_timers::detail::descriptors{0};

namespace {

using program_timers::Kind;
using program_timers::Setting;
using program_timers::Slot;
namespace clock_ = simulated_clock;

struct Timer {
  Kind kind = Kind::None;
  std::int64_t due_ns = 0;  ///< by simulated_clock::now_ns; 0: it is not armed
  std::int64_t interval_ns = 0;
  clockid_t clock = CLOCK_REALTIME;
  timer_t id{};
  sigevent event{};  ///< of a POSIX timer
  int descriptor = -1;
  std::uint64_t expirations = 0;  ///< of a descriptor, not read yet
  int fired = 0;                  ///< how often at once, when it did last
  int overrun = 0;                ///< of a POSIX timer, at its last signal
};

/// The first is the interval timer. They lie still, so that a signal handler may look at them.
std::array<Timer, 64> timers{Timer{.kind = Kind::Interval}};
std::atomic<bool> in_use{false};

/// Threads, and the handler of the host's alarm, which comes again later if it finds them in use. A handler of the
/// program, which may set a timer, does not run meanwhile.
class TimersLock {
 public:
  TimersLock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    while (in_use.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~TimersLock() {
    in_use.store(false, std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  TimersLock(const TimersLock&) = delete;
  TimersLock& operator=(const TimersLock&) = delete;

 private:
  sigset_t before_;
};

void arm(Timer& timer, std::int64_t due_ns) {
  program_timers::detail::armed.fetch_add((due_ns != 0 ? 1 : 0) - (timer.due_ns != 0 ? 1 : 0));
  timer.due_ns = due_ns;
}

std::int64_t earliest_ns() {
  std::int64_t earliest = for_ever;
  for (const Timer& timer : timers) {
    if (timer.due_ns != 0) earliest = std::min(earliest, timer.due_ns);
  }
  return earliest;
}

/// The next that is due, as it fires now; it is armed again if it repeats.
std::optional<Timer> take_due(std::int64_t now_ns) {
  const TimersLock locked;
  for (Timer& timer : timers) {
    if (timer.due_ns == 0 || timer.due_ns > now_ns) continue;
    const std::int64_t more = timer.interval_ns > 0 ? (now_ns - timer.due_ns) / timer.interval_ns : 0;
    timer.fired = static_cast<int>(std::min<std::int64_t>(more + 1, 1'000'000'000));
    timer.expirations += static_cast<std::uint64_t>(more) + 1;
    arm(timer, timer.interval_ns > 0 ? timer.due_ns + (more + 1) * timer.interval_ns : 0);
    return timer;
  }
  return std::nullopt;
}

/// Whether this signal runs a handler of the program in a thread that blocks these.
bool runs_handler(int signal, const sigset_t* mask) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0) return false;
  if ((action.sa_flags & SA_SIGINFO) == 0 && (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL)) {
    return false;
  }
  sigset_t blocked{};
  if (mask == nullptr) pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(mask == nullptr ? &blocked : mask, signal) == 0;
}

void send_signal(const Timer& timer) {
  if (timer.kind == Kind::Interval) {
    kill(getpid(), SIGALRM);
    return;
  }
  siginfo_t info{};
  info.si_signo = timer.event.sigev_signo;
  info.si_code = SI_TIMER;
  info.si_overrun = timer.fired - 1;
  info.si_value = timer.event.sigev_value;
  if (timer.event.sigev_notify == SIGEV_THREAD_ID) {
    syscall(SYS_rt_tgsigqueueinfo, getpid(), timer.event._sigev_un._tid, info.si_signo, &info);
  } else {
    syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
  }
}

/// A POSIX timer has one signal under way at most; what fires meanwhile is overrun. @return whether there is none
bool may_send(const Timer& timer) {
  sigset_t pending{};
  sigpending(&pending);
  const bool under_way = sigismember(&pending, timer.event.sigev_signo) != 0;
  const TimersLock locked;
  const auto own = std::ranges::find_if(
      timers, [&](const Timer& other) { return other.kind == Kind::Posix && other.id == timer.id; });
  if (own != timers.end()) own->overrun = under_way ? own->overrun + timer.fired : timer.fired - 1;
  return !under_way;
}

bool signal_program(const Timer& timer, const sigset_t* mask) {
  if (timer.kind == Kind::Posix && (timer.event.sigev_notify == SIGEV_NONE || !may_send(timer))) return false;
  const int number = timer.kind == Kind::Interval ? SIGALRM : timer.event.sigev_signo;
  const bool handled = runs_handler(number, mask);
  sigset_t before{};
  if (mask != nullptr) pthread_sigmask(SIG_SETMASK, mask, &before);
  send_signal(timer);
  if (mask != nullptr) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return handled;
}

/// The host's timer of the same descriptor fires at once, so that whoever waits for it sees that it is readable.
/// @return false: the program has closed it
bool make_readable(int descriptor) {
  static const auto settime = next_function<int (*)(int, int, const itimerspec*, itimerspec*)>("timerfd_settime");
  static const auto wait = next_function<int (*)(pollfd*, nfds_t, int)>("poll");
  constexpr itimerspec long_ago{{0, 0}, {0, 1}};
  constexpr int longest_ms = 1000;
  const ErrnoKept kept;
  pollfd timer{descriptor, POLLIN, 0};
  const bool is_there = settime(descriptor, TFD_TIMER_ABSTIME, &long_ago, nullptr) == 0;
  if (is_there) (void)wait(&timer, 1, longest_ms);
  return is_there;
}

Slot take_slot(const Timer& timer) {
  const TimersLock locked;
  const auto free = std::ranges::find(timers, Kind::None, &Timer::kind);
  if (free == timers.end()) return program_timers::no_slot;
  *free = timer;
  return static_cast<Slot>(free - timers.begin());
}

template <class Is>
Slot find_slot(Is&& is) {
  const TimersLock locked;
  const auto found = std::ranges::find_if(timers, is);
  return found == timers.end() ? program_timers::no_slot : static_cast<Slot>(found - timers.begin());
}

Setting setting_of(const Timer& timer, std::int64_t now_ns) {
  if (timer.due_ns == 0) return {0, timer.interval_ns};
  return {std::max<std::int64_t>(1, timer.due_ns - now_ns), timer.interval_ns};
}

/// Whether system calls go on after the signals of all timers that are armed (SA_RESTART).
bool all_restart() {
  const TimersLock locked;
  return std::ranges::all_of(timers, [](const Timer& timer) {
    if (timer.due_ns == 0 || timer.kind == Kind::Descriptor) return true;
    struct sigaction action {};
    sigaction(timer.kind == Kind::Interval ? SIGALRM : timer.event.sigev_signo, nullptr, &action);
    return (action.sa_flags & SA_RESTART) != 0;
  });
}

/// The host's alarm rings: it has come as far as `now_ns`. @return when it rings next
std::int64_t at_alarm(std::int64_t now_ns) {
  if (in_use.load(std::memory_order_acquire)) return host_alarm::soon;
  const std::int64_t next_ns = earliest_ns();
  if (next_ns > now_ns) return next_ns;
  clock_::is_at_least(next_ns);
  program_timers::fire(next_ns);
  return earliest_ns();
}

}  // namespace

std::int64_t program_timers::next_ns() {
  if (!any_armed()) return for_ever;
  const TimersLock locked;
  return earliest_ns();
}

bool program_timers::fire(std::int64_t now_ns, const sigset_t* mask) {
  bool handled = false;
  while (any_armed()) {
    const std::optional<Timer> timer = take_due(now_ns);
    if (!timer) break;
    if (timer->kind == Kind::Descriptor) {
      if (make_readable(timer->descriptor)) continue;
      if (const Slot slot = find_descriptor(timer->descriptor); slot != no_slot) remove(slot);
    } else {
      handled = signal_program(*timer, mask) || handled;
    }
  }
  return handled;
}

void program_timers::look_after_call() {
  if (clock_::is_on() && clock_::may_ask()) fire(clock_::answered_ns());
}

program_timers::Pause::Pause() : active_(any_armed() && clock_::may_ask()) {
  if (active_) host_alarm::stop();
}

program_timers::Pause::~Pause() {
  if (active_ && any_armed()) host_alarm::ring(now_ns, next_ns(), all_restart(), at_alarm);
}

Slot program_timers::interval_timer() { return 0; }

Slot program_timers::add_posix(timer_t id, const sigevent& event, clockid_t clock) {
  return take_slot({.kind = Kind::Posix, .clock = clock, .id = id, .event = event});
}

Slot program_timers::add_descriptor(int descriptor, clockid_t clock) {
  if (const Slot old = find_descriptor(descriptor); old != no_slot) remove(old);  // the program has closed that one
  const Slot slot = take_slot({.kind = Kind::Descriptor, .clock = clock, .descriptor = descriptor});
  if (slot != no_slot) detail::descriptors.fetch_add(1);
  return slot;
}

Slot program_timers::find_posix(timer_t id) {
  return find_slot([id](const Timer& timer) { return timer.kind == Kind::Posix && timer.id == id; });
}

Slot program_timers::find_descriptor(int descriptor) {
  return find_slot(
      [=](const Timer& timer) { return timer.kind == Kind::Descriptor && timer.descriptor == descriptor; });
}

void program_timers::remove(Slot slot) {
  const TimersLock locked;
  arm(timers[slot], 0);
  if (timers[slot].kind == Kind::Descriptor) detail::descriptors.fetch_sub(1);
  timers[slot] = Timer{};
}

Setting program_timers::set(Slot slot, Setting setting) {
  const std::int64_t now_ns = clock_::now_ns();
  Setting before;
  {
    const TimersLock locked;
    Timer& timer = timers[slot];
    before = setting_of(timer, now_ns);
    timer.interval_ns = setting.interval_ns;
    timer.expirations = 0;
    arm(timer, setting.left_ns == 0 ? 0 : now_ns + setting.left_ns);
  }
  if (any_armed()) {
    host_alarm::ring(now_ns, next_ns(), all_restart(), at_alarm);
  } else {
    host_alarm::stop();
  }
  return before;
}

Setting program_timers::get(Slot slot) {
  const std::int64_t now_ns = clock_::now_ns();
  const TimersLock locked;
  return setting_of(timers[slot], now_ns);
}

clockid_t program_timers::clock_of(Slot slot) { return timers[slot].clock; }

std::uint64_t program_timers::take_expirations(Slot slot) {
  const TimersLock locked;
  return std::exchange(timers[slot].expirations, 0);
}

int program_timers::overrun(Slot slot) { return timers[slot].overrun; }

}  // namespace orrery::mpi
