// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/clock/compute_meter.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// Whether this process has more threads than the calling one.
[[nodiscard]] bool process_has_threads();
/// Whether it has started processes. Those that have ended and were not waited for are among them.
[[nodiscard]] bool process_has_children();

/// What one thread of the program has under way in MPI.
struct ThreadState {
  explicit ThreadState(const ComputeMeter& compute_meter) : meter(compute_meter) {}

  ComputeMeter meter;
  int depth = 0;  ///< of nested calls
  op::RoutineId routine = 0;
  bool first_of_call = false;
  const void* called_from = nullptr;     ///< address in the program; null: not known
  std::vector<std::uint32_t> completed;  ///< positions that the last answer named

  // Where there are several threads.
  bool holds_lock = false;
  channel::ReplySlot answer{};            ///< the last one, which in the shared memory may be another thread's by now
  std::uint32_t number = 0;               ///< whose answer it has yet to wait for; 0: nobody's
  std::uint32_t replies_before = 0;       ///< under that number
  std::vector<op::RequestId> given_back;  ///< that the kernel knows until it answers
};

/// What the threads of a rank share where several may call MPI (docs/design/threads.md). As long as the process has
/// one thread none of it is used: none can appear while that one waits in MPI.
///
/// One thread at a time is inside of the library: it holds the lock, and gives it up while it waits. Of those that wait
/// one sleeps on the rank's doorbell; it wakes the others, who sleep on a condition, whenever something may have
/// changed.
class Threads {
 public:
  /// The calling thread is the one whose state is `main`.
  explicit Threads(ThreadState& main);

  /// The calling thread's own.
  [[nodiscard]] ThreadState& own();

  /// Whether there are several, or ever were.
  [[nodiscard]] bool several() const { return several_.load(std::memory_order_relaxed); }
  /// The calling thread enters the library, and gets the lock if there are several.
  void enter(ThreadState& thread);
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  /// Computation to be reported: what several threads compute at the same time counts once.
  /// @param computed_ns by the calling thread, up to the monotonic time `now_ns`
  [[nodiscard]] std::int64_t counted(std::int64_t computed_ns, std::int64_t now_ns);

  /// Under the lock: gives it up until another thread says that something has changed.
  void wait_for_change();
  /// Under the lock: something has changed, or the doorbell has no sleeper any more.
  void changed() { condition_.notify_all(); }
  [[nodiscard]] bool others_wait() const { return waiting_ > 0; }

  bool at_doorbell = false;  ///< a thread sleeps there
  bool asking = false;       ///< a thread waits for an answer to the rank's stream, of which there is one at a time

  /// A number for an answer, and back. 0: all are taken
  [[nodiscard]] std::uint32_t take_number();
  void give_back(std::uint32_t number) { free_numbers_.push_back(number); }

 private:
  std::mutex mutex_;
  std::atomic<bool> several_{false};
  std::condition_variable condition_;
  int waiting_ = 0;
  std::int64_t counted_until_ns_ = 0;
  std::uint32_t numbers_ = 0;
  std::vector<std::uint32_t> free_numbers_;
};

}  // namespace orrery::mpi
