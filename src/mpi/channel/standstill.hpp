// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "mpi/channel/channel.hpp"

namespace orrery::mpi::channel {

/// Tells that no rank will ever say anything again: all sleep inside of MPI, and only ranks and the kernel wake ranks.
///
/// Ranks wait for data of each other without the kernel's knowledge. Where members of a communicator call different
/// collectives, or with counts of which some are zero, one waits for bytes that nobody sends, and the kernel waits for
/// that rank: the streams show no deadlock.
///
/// A rank that runs, reads a file, is stopped by a debugger, has not begun or has several threads is not at a
/// standstill: it may go on.
class Standstill {
 public:
  explicit Standstill(const Memory& memory) : memory_(memory) {}

  /// The kernel has waited for a rank for a while. @return whether nothing has changed since the last look, either, and
  /// nothing will; cost: a few cache lines per rank, and once it looks like it a few files per rank
  [[nodiscard]] bool look();

 private:
  /// Sum over all ranks of counters that only grow; none if some rank does not sleep, or all have finalised.
  [[nodiscard]] std::optional<std::uint64_t> activity() const;
  [[nodiscard]] bool all_sleep_for_the_system() const;

  const Memory& memory_;
  std::optional<std::uint64_t> last_;
};

}  // namespace orrery::mpi::channel
