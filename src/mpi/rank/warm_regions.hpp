// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "mpi/channel/warm_parts.hpp"
#include "mpi/clock/warm_copy.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// Which regions of a rank are measured with warm caches, and when (docs/design/computation.md).
///
/// A region that took the rank 2 µs or more several times is worth it if it is a hundredth of the rank's computation.
/// The ranks share what they find, so that few of them have to measure.
class WarmRegions {
 public:
  explicit WarmRegions(channel::WarmParts& parts) : parts_(parts) {}

  /// The computation before an operation has ended.
  /// @param took_ns all of it; @param first_ns up to the first call of MPI, whether it was an operation or not
  struct Ended {
    bool disturbed = false;  ///< by a copy that was made before it
    std::uint16_t part = 0;  ///< of it with warm caches, in thousandths, if that is known since then; 0: nothing new
  };
  [[nodiscard]] Ended ended(std::uint32_t site, op::RoutineId routine, std::int64_t took_ns, std::int64_t first_ns);

  /// Computation begins after an operation: whether it is to be measured now, and if so does so. See WarmCopy::measure.
  enum class Begun : std::uint8_t { Usual, Measured, Copy };
  [[nodiscard]] Begun begins();

 private:
  static constexpr std::size_t remembered = 16;
  struct Region {
    channel::WarmPart* part = nullptr;
    std::uint32_t samples = 0;
    bool told = false;                               ///< its part was returned, or will never be known
    std::array<std::int64_t, remembered> took_ns{};  ///< a ring
  };

  [[nodiscard]] static std::uint16_t part_of(const Region& region, std::int64_t warm_ns);
  [[nodiscard]] std::uint16_t news(Region& region) const;

  channel::WarmParts& parts_;
  WarmCopy copy_;
  std::uint32_t site_ = 0;                                 ///< of the last operation
  std::unordered_map<std::uint32_t, std::uint64_t> next_;  ///< the region that began after a site last time
  std::unordered_map<std::uint64_t, Region> regions_;
  std::int64_t computed_ns_ = 0;  ///< of all regions
  bool disturbed_ = false;        ///< the present computation, by a copy that was made before it
};

}  // namespace orrery::mpi
