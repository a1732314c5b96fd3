// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/host_processors.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/clock/replaces.hpp"

/// Processors that programs ask the C library for are those of the simulated host. To which a thread binds itself is
/// remembered, and nothing else: where threads run on this host is the system's business.
namespace orrery::mpi {

namespace {

struct Processors {
  std::atomic<int> count{0};  ///< 0: this process sees the host's
  const channel::Memory* memory = nullptr;
  int rank = 0;
};
Processors processors;

int simulated_count() { return processors.count.load(std::memory_order_acquire); }

using Sysconf = long (*)(int);
Sysconf host_sysconf() {
  static const auto found = next_function<Sysconf>("sysconf");
  return found;
}

/// Bits of a set of the program's size, one for each processor.
class Mask {
 public:
  static Mask all() {
    Mask mask;
    mask.bits_.assign(static_cast<std::size_t>(simulated_count()), true);
    return mask;
  }
  /// Those of the set that the host has.
  static Mask of(std::size_t bytes, const cpu_set_t* set) {
    Mask mask;
    mask.bits_.resize(static_cast<std::size_t>(simulated_count()));
    for (std::size_t i = 0; i < mask.bits_.size(); ++i) mask.bits_[i] = CPU_ISSET_S(i, bytes, set) != 0;
    return mask;
  }
  [[nodiscard]] bool empty() const { return std::ranges::count(bits_, true) == 0; }
  [[nodiscard]] bool fits(std::size_t bytes) const { return bits_.size() <= bytes * 8; }
  [[nodiscard]] bool has(int processor) const { return bits_[static_cast<std::size_t>(processor)]; }
  [[nodiscard]] int first() const { return static_cast<int>(std::ranges::find(bits_, true) - bits_.begin()); }
  void write(std::size_t bytes, cpu_set_t* set) const {
    CPU_ZERO_S(bytes, set);
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (bits_[i]) CPU_SET_S(i, bytes, set);
    }
  }

 private:
  std::vector<bool> bits_;
};

/// Threads that have been bound, by their number.
std::mutex guard;
std::map<pid_t, Mask> bound;

Mask mask_of(pid_t thread) {
  const std::lock_guard lock(guard);
  const auto found = bound.find(thread);
  return found == bound.end() ? Mask::all() : found->second;
}

int bind(pid_t thread, std::size_t bytes, const cpu_set_t* set) {
  if (is_null(set)) return EFAULT;
  Mask mask = Mask::of(bytes, set);
  if (mask.empty()) return EINVAL;
  const std::lock_guard lock(guard);
  bound[thread] = std::move(mask);
  return 0;
}

int give_mask(pid_t thread, std::size_t bytes, cpu_set_t* set) {
  const Mask mask = mask_of(thread);
  if (!mask.fits(bytes)) return EINVAL;
  if (is_null(set)) return EFAULT;
  mask.write(bytes, set);
  return 0;
}

/// Whether a process or thread of this number is one of this process; 0 is the calling one.
bool is_own_thread(pid_t number) {
  return number == 0 || number == getpid() || access(("/proc/self/task/" + std::to_string(number)).c_str(), F_OK) == 0;
}

pid_t thread_of(pid_t number) { return number == 0 ? gettid() : number; }

/// The C library tells the number of a thread by the name of its processor-time clock: the bits above the lowest three,
/// inverted.
bool number_of_thread(pthread_t thread, pid_t& number) {
  if (pthread_equal(thread, pthread_self()) != 0) {
    number = gettid();
    return true;
  }
  clockid_t clock{};
  if (pthread_getcpuclockid(thread, &clock) != 0) return false;
  number = ~(clock >> 3);
  return true;
}

/// On which a thread seems to run that is bound to none: ranks of a node are dealt to its processors in turn.
int processor_of_rank() {
  int before = 0;
  for (int rank = 0; rank < processors.rank; ++rank) {
    if (processors.memory->host_of(rank) == processors.memory->host_of(processors.rank)) ++before;
  }
  return before % simulated_count();
}

int running_on() {
  static const int usual = processor_of_rank();
  const Mask mask = mask_of(gettid());
  return mask.has(usual) ? usual : mask.first();
}

/// Runtimes of OpenMP that have not started yet would start as many threads as the simulated host has processors; on a
/// host with fewer that takes longer for the same result. The others, which have counted those of the host before
/// MPI_Init, start no more than these, either.
void limit_threads_of_openmp(int of_host) {
  if (simulated_count() > of_host) setenv("OMP_NUM_THREADS", std::to_string(of_host).c_str(), 0);
}

}  // namespace

void take_host_processors(const channel::Memory& of_run, int world_rank) {
  const auto count = static_cast<int>(of_run.processors(world_rank));
  if (count == 0) return;
  processors.memory = &of_run;
  processors.rank = world_rank;
  processors.count.store(count, std::memory_order_release);
  limit_threads_of_openmp(processors_of_this_host());
}

int processors_of_this_host() { return static_cast<int>(host_sysconf()(_SC_NPROCESSORS_ONLN)); }

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------

using namespace orrery::mpi;

namespace {

int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

ORRERY_REPLACES long sysconf(int name) noexcept {
  const bool counts = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  const int simulated = counts ? simulated_count() : 0;
  return simulated > 0 ? simulated : host_sysconf()(name);
}

ORRERY_REPLACES int get_nprocs() noexcept {
  static const auto original = next_function<int (*)()>("get_nprocs");
  const int simulated = simulated_count();
  return simulated > 0 ? simulated : original();
}

ORRERY_REPLACES int get_nprocs_conf() noexcept {
  static const auto original = next_function<int (*)()>("get_nprocs_conf");
  const int simulated = simulated_count();
  return simulated > 0 ? simulated : original();
}

ORRERY_REPLACES int sched_getaffinity(pid_t number, std::size_t bytes, cpu_set_t* set) noexcept {
  static const auto original = next_function<int (*)(pid_t, std::size_t, cpu_set_t*)>("sched_getaffinity");
  if (simulated_count() == 0 || !is_own_thread(number)) return original(number, bytes, set);
  return as_errno(give_mask(thread_of(number), bytes, set));
}

ORRERY_REPLACES int sched_setaffinity(pid_t number, std::size_t bytes, const cpu_set_t* set) noexcept {
  static const auto original = next_function<int (*)(pid_t, std::size_t, const cpu_set_t*)>("sched_setaffinity");
  if (simulated_count() == 0 || !is_own_thread(number)) return original(number, bytes, set);
  return as_errno(bind(thread_of(number), bytes, set));
}

ORRERY_REPLACES int pthread_getaffinity_np(pthread_t thread, std::size_t bytes, cpu_set_t* set) noexcept {
  static const auto original = next_function<int (*)(pthread_t, std::size_t, cpu_set_t*)>("pthread_getaffinity_np");
  pid_t number = 0;
  if (simulated_count() == 0 || !number_of_thread(thread, number)) return original(thread, bytes, set);
  return give_mask(number, bytes, set);
}

ORRERY_REPLACES int pthread_setaffinity_np(pthread_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  using Function = int (*)(pthread_t, std::size_t, const cpu_set_t*);
  static const auto original = next_function<Function>("pthread_setaffinity_np");
  pid_t number = 0;
  if (simulated_count() == 0 || !number_of_thread(thread, number)) return original(thread, bytes, set);
  return bind(number, bytes, set);
}

/// The thread that is created with these attributes may run anywhere.
ORRERY_REPLACES int pthread_attr_setaffinity_np(pthread_attr_t* attributes, std::size_t bytes,
                                                const cpu_set_t* set) noexcept {
  using Function = int (*)(pthread_attr_t*, std::size_t, const cpu_set_t*);
  static const auto original = next_function<Function>("pthread_attr_setaffinity_np");
  if (simulated_count() == 0 || bytes == 0 || is_null(set)) return original(attributes, bytes, set);
  return Mask::of(bytes, set).empty() ? EINVAL : 0;
}

ORRERY_REPLACES int sched_getcpu() noexcept {
  static const auto original = next_function<int (*)()>("sched_getcpu");
  return simulated_count() == 0 ? original() : running_on();
}

ORRERY_REPLACES int getcpu(unsigned int* processor, unsigned int* node) noexcept {
  static const auto original = next_function<int (*)(unsigned int*, unsigned int*)>("getcpu");
  if (simulated_count() == 0) return original(processor, node);
  if (!is_null(processor)) *processor = static_cast<unsigned int>(running_on());
  if (!is_null(node)) *node = 0;
  return 0;
}
