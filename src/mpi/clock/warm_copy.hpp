// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace orrery::mpi {

/// Measures what a computation takes with warm caches: a copy of the process (fork) runs it several times over, each
/// time from the same state of its memory, while the process itself waits.
///
/// Ranks that take turns on few processors find the caches full of what others left there. On the cluster, where each
/// has a processor of its own, they find what they left there themselves.
///
/// The copy can do nothing but compute: what it shares with others it may only read, and a system call other than those
/// that give memory and tell the time ends it (seccomp). Whatever ends it early costs the measurement, and nothing
/// else. It leaves no trace in the process: no child that the program could wait for, no signal, no descriptor.
///
/// How: a first copy runs the computation once and lists the pages that it has written. A second one keeps what was in
/// them, and puts it back before each run. Then the process gets back what it had in common with them, at once.
class WarmCopy {
 public:
  struct Shared;

  WarmCopy() = default;
  WarmCopy(const WarmCopy&) = delete;
  WarmCopy& operator=(const WarmCopy&) = delete;
  ~WarmCopy();

  /// Where the computation begins. Returns once in the process, and in a copy each time that the computation begins
  /// again: whoever calls this returns to the program at once. The process has one thread.
  /// @param usual_ns what the computation takes, about
  /// @return in the process: nanoseconds of the shortest run with warm caches, 0: it could not be measured; in a copy:
  /// `is_copy`
  [[nodiscard]] std::int64_t measure(std::int64_t usual_ns);
  static constexpr std::int64_t is_copy = -1;

  /// Whether this process is such a copy.
  [[nodiscard]] static bool in_copy() { return copying_; }
  /// Where the computation ends, in a copy.
  [[noreturn]] static void end_of_run();

 private:
  enum class Made : std::uint8_t { Here, Ended, Failed };  ///< this is the copy; it has done its part; it has not

  [[nodiscard]] Made make_copy(bool lists_pages, std::int64_t longest_ns);
  void be_copy();

  static bool copying_;
  Shared* shared_ = nullptr;  ///< of the process and its copies; null: there was none so far
};

}  // namespace orrery::mpi
