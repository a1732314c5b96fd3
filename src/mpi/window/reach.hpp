// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi/channel/channel.hpp"
#include "mpi/rank/rank.hpp"

/// Memory of another rank, as this process reaches it.
namespace orrery::mpi {

/// Bytes without gap.
struct Run {
  std::uint64_t address;  ///< in the owner's process; or in the memory of the run
  std::int64_t bytes;
};

/// Whose memory it is, and where to look.
struct Reach {
  std::int32_t owner = 0;  ///< world rank
  bool shared = false;     ///< runs lie in the memory of the run

  /// The run as this process can use it; null if it has to go through the system.
  [[nodiscard]] std::byte* here(Rank& rank, std::uint64_t address) const;
};

/// Copies runs to consecutive bytes, or back.
/// @throws Error (MPI_ERR_RMA_RANGE) when there is no such memory
void read_runs(Rank& rank, const Reach& reach, std::span<const Run> runs, std::byte* packed);
void write_runs(Rank& rank, const Reach& reach, std::span<const Run> runs, const std::byte* packed);

}  // namespace orrery::mpi
