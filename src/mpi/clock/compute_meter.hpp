// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace orrery::mpi {

/// Measures the computation between MPI calls: processor time of the calling thread, in nanoseconds.
///
/// The processor clock of a thread costs a system call, the monotonic clock a few nanoseconds. An interval too short
/// for the thread to have lost the processor in it is therefore measured by the monotonic clock; a longer one by the
/// processor clock against a base. Between base and the start of that interval there are only short intervals, inside
/// and outside of MPI, so that both clocks agree there.
class ComputeMeter {
 public:
  /// Shorter computations are measured by the monotonic clock: a thread that loses the processor is away for longer.
  /// The smallest time slice of Linux is of the order of 1 ms, a switch to a short-lived other task costs several
  /// microseconds.
  static constexpr std::int64_t short_computation_ns = 10'000;

  using Clock = std::int64_t (*)();

  ComputeMeter(Clock monotonic_ns, Clock processor_ns);

  /// The program leaves MPI: computation begins.
  void start();
  /// The program enters MPI. @return nanoseconds of computation since `start`
  [[nodiscard]] std::int64_t stop();
  /// Monotonic time of the last `stop`.
  [[nodiscard]] std::int64_t stopped_ns() const { return stopped_ns_; }

 private:
  [[nodiscard]] std::int64_t used(std::int64_t now, std::int64_t processor) const;

  Clock monotonic_;
  Clock processor_;
  std::int64_t started_ns_ = 0;
  std::int64_t stopped_ns_ = 0;
  std::int64_t base_ns_ = 0;            ///< monotonic time at which
  std::int64_t base_processor_ns_ = 0;  ///< the processor clock said this
};

}  // namespace orrery::mpi
