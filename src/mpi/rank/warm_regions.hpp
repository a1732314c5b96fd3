// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "base/one_kind.hpp"
#include "mpi/channel/channel.hpp"
#include "mpi/clock/warm_copy.hpp"
#include "mpi/rank/copied_work.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// Which regions of a rank are measured with warm caches, and when (docs/design/computation.md).
///
/// A region that took the rank 0.5 µs or more several times is worth it if it is a hundredth of the rank's computation.
/// The ranks share what the first few find: the others are told what theirs takes by how long it usually takes them.
/// One whose usual time the others do not explain measures for itself.
class WarmRegions {
 public:
  WarmRegions(channel::Memory& memory, int world_rank) : memory_(memory), world_rank_(world_rank) {}

  /// The computation before an operation has ended.
  /// @param faults page faults meanwhile
  /// @param took_ns all of it; @param first_ns up to the first call of MPI, whether it was an operation or not
  struct Ended {
    bool disturbed = false;  ///< by a copy that was made lately: pages had to be copied back
    std::uint16_t part = 0;  ///< see op::Measurement::warm
  };
  [[nodiscard]] Ended ended(std::uint32_t site, op::RoutineId routine, std::int64_t took_ns, std::int64_t first_ns,
                            std::uint32_t faults);

  /// Computation will begin after an operation, whose routine is about to be left: waits until this rank may compute
  /// on, or may measure alone.
  void prepare();
  /// It begins. See WarmCopy::measure.
  enum class Measured : std::uint8_t { Nothing, Here, InCopy };
  [[nodiscard]] Measured measure();

 private:
  struct Region {
    channel::WarmPart* part = nullptr;  ///< null: it was not asked for yet
    std::size_t samples = 0;
    std::array<float, 32> took_ns{};                       ///< the last ones, a ring
    channel::OwnWarmTime own;                              ///< what this rank has measured last
    std::uint32_t turns = channel::WarmPart::first_turns;  ///< it takes one if so few were taken, with its own
    std::size_t next_look = enough;                        ///< at the part, at so many samples
    std::uint32_t copies = 0;                              ///< that had been made when it ended last
    std::uint32_t disturbed = 0;                           ///< so many times it may be from now on, by the last copy
    double told_ns = 0, told_part = 0;  ///< what was returned last, see WarmPart::Said; 0: nothing yet
    bool constant = false;
    [[nodiscard]] bool told() const { return told_part > 0; }
    bool given_up = false;  ///< there is no part, and will be none

    [[nodiscard]] double usual_ns() const { return mean_of_one_kind(took_ns, samples); }
    [[nodiscard]] std::int64_t latest_ns() const {
      return static_cast<std::int64_t>(took_ns[(samples - 1) % took_ns.size()]);
    }
  };
  /// What a copy took for work that the process is to do next.
  struct Copied {
    Region* region = nullptr;  ///< null: none
    std::int64_t warm_ns = 0;  ///< 0: it could not be measured
  };
  static void conclude(const Copied& copied, double usual_ns, AfterCopy after = {});

  /// After so many samples it is known what is usual.
  static constexpr std::size_t enough = 4;

  [[nodiscard]] static std::uint16_t news(Region& region);
  [[nodiscard]] Region* region_to_measure();

  channel::Memory& memory_;
  int world_rank_;
  WarmCopy copy_;
  std::uint32_t site_ = 0;                                 ///< of the last operation
  std::unordered_map<std::uint32_t, std::uint64_t> next_;  ///< the region that began after a site last time
  std::unordered_map<std::uint64_t, Region> regions_;
  Region* measured_ = nullptr;    ///< the region that begins, if it is measured; this rank has the turn
  std::int64_t computed_ns_ = 0;  ///< of all regions
  std::uint32_t copies_ = 0;      ///< that were made of this process
  Copied copied_;                 ///< by the last copy, until the process has done the same
};

}  // namespace orrery::mpi
