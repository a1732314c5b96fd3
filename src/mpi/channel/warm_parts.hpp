// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace orrery::mpi::channel {

/// What part of its usual time a region takes with warm caches, in thousandths: a few ranks measure it for all.
class WarmPart {
 public:
  /// Whether the caller is to measure it: so many do, whoever comes first.
  [[nodiscard]] bool take_turn() { return turns_.fetch_add(1, std::memory_order_relaxed) < said_.size(); }
  /// @param part from 1 to 1,000; 0: it could not be measured
  void say(std::uint16_t part);

  /// What those who have measured it agree on, or the median of all when each has. 0: nothing yet, or ever
  [[nodiscard]] std::uint16_t agreed() const;
  /// Whether `agreed` will not change any more, because each has said something.
  [[nodiscard]] bool complete() const;

 private:
  friend class WarmParts;
  static constexpr std::uint16_t nothing = 0xFFFF;

  std::atomic<std::uint64_t> region_{0};  ///< 0: it is free
  std::atomic<std::uint32_t> turns_{0};
  std::array<std::atomic<std::uint16_t>, 6> said_{};  ///< 0: not yet
};

/// Regions of which that is known, of all ranks, in shared memory. There may be more regions than room: those of which
/// nothing is known cost what was measured.
class WarmParts {
 public:
  /// @param region see op::region_of, not 0. @return null: there is no room
  [[nodiscard]] WarmPart* of(std::uint64_t region);

 private:
  static constexpr std::size_t most = 1'024;  ///< a power of two
  std::array<WarmPart, most> parts_;
};

}  // namespace orrery::mpi::channel
