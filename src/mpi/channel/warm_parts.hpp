// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace orrery::mpi::channel {

/// What a region took a rank once: with warm caches, and usually, with those that others have filled.
struct WarmTime {
  std::uint32_t warm_ns = 0;
  std::uint32_t usual_ns = 0;
};

/// What a rank has measured itself: the shortest of so many times.
struct OwnWarmTime {
  WarmTime time = {};
  std::uint32_t times = 0;

  /// Adds another time; one of another kind of work begins anew.
  void add(const WarmTime& another);
};

/// What a region takes with warm caches, which some ranks measure for all (docs/design/computation.md).
class WarmPart {
 public:
  /// So many measure it at first, whoever comes first.
  static constexpr std::uint32_t first_turns = 6;
  /// So many in all, with those whose usual time is not explained by what the others have found.
  static constexpr std::uint32_t most_turns = 16;
  /// So many for each time that there are twice as many samples: what was the same may not stay so.
  static constexpr std::uint32_t later_turns = 2;

  /// So many times are kept.
  static constexpr std::size_t most_times = 32;

  /// Whether the caller is to measure it. @param most turns that were taken, with its own
  [[nodiscard]] bool take_turn(std::uint32_t most);
  /// What came out of a turn. @param time `warm_ns` 0: it could not be measured
  /// @param took_ns what the same work took the rank itself, once
  void say(WarmTime time, std::uint32_t took_ns = 0);

  /// What the ranks that have measured it say of one that usually takes `usual_ns`.
  struct Said {
    double part = 1;         ///< of its usual time that it takes with warm caches
    bool constant = false;   ///< it takes that each time: how samples differ is luck with caches
    bool explained = false;  ///< it usually takes about as long as those, or as it has measured itself
  };
  /// @param own `times` 0: it has measured nothing
  /// @return none: nothing yet, or ever
  [[nodiscard]] std::optional<Said> said(double usual_ns, const OwnWarmTime& own = {}) const;
  /// Whether all first turns are over: if nothing is said now, nothing will be.
  [[nodiscard]] bool complete() const;

 private:
  friend class WarmParts;

  std::atomic<std::uint64_t> region_{0};  ///< 0: it is free
  std::atomic<std::uint32_t> turns_{0};
  std::atomic<std::uint32_t> over_{0};                          ///< turns that something was said of
  std::array<std::atomic<std::uint64_t>, most_times> times_{};  ///< WarmTime; 0: not yet
  std::array<std::atomic<std::uint32_t>, most_times> took_{};   ///< nanoseconds, of each; 0: not known (yet)
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
