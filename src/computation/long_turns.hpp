// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::computation {

/// Work of a region that comes again after many samples, as the cycle of a multigrid method comes to all its grids by
/// the same calls. docs/design/computation.md has the reasons of the constants.
class LongTurns {
 public:
  /// The next sample of the region, of whichever kind.
  void add(double seconds) { seconds_[samples_++ % history] = static_cast<float>(seconds); }
  /// Looks for the period.
  /// @param usual_s most samples are no longer than that
  void learn(double usual_s);
  /// @return what samples of the turn of the last one took before it, in the mean; 0: no period is known
  [[nodiscard]] double expected_s() const { return mean_s(0); }
  /// @return the mean with the last one
  [[nodiscard]] double mean_with_last_s() const { return mean_s(1); }

  /// The longest period is a little shorter than half of that.
  static constexpr std::size_t history = 512;

 private:
  /// How samples agree with those of a period before.
  struct Agreement {
    double part = 0;  ///< of the time above what is usual
    std::size_t pairs = 0;
  };

  [[nodiscard]] double mean_s(std::size_t of_last) const;
  [[nodiscard]] Agreement agreement(std::size_t period, double usual_s) const;
  [[nodiscard]] std::size_t known() const { return std::min<std::size_t>(samples_, history); }
  [[nodiscard]] double before_s(std::size_t back) const {
    return static_cast<double>(seconds_[(samples_ - 1 - back) % history]);
  }

  std::array<float, history> seconds_{};  ///< a ring
  std::uint32_t samples_ = 0;
  std::uint32_t period_ = 0;  ///< 0: none is known
};

}  // namespace orrery::computation
