// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// A block that the program sampled, over all ranks. Times are seconds of this host's processor.
struct SampledBlock {
  std::string file = {};
  std::int32_t line = 0;
  bool global = false;  ///< all ranks sampled it together
  std::uint64_t executed = 0;
  std::uint64_t skipped = 0;
  double mean_s = 0;        ///< of the executions
  double half_width_s = 0;  ///< of the interval of this mean, at 95 %; infinite: executed once, by all or by a rank
};

/// What a run skipped, and how far its time may be off because of it.
///
/// The executions of a sample count as draws from one normal distribution, those that were skipped as further,
/// independent ones. The run would have been shorter by a part `shorter` at most, or longer by a part `longer`: first,
/// because the mean that was counted is off, by h at most for all samples at once (each has its part of the 5 %:
/// Bonferroni); second, because ranks that wait for each other wait for the slowest, and where all count the mean, none
/// is slower than another. Of P ranks that execute K blocks each there are P^K ways through the run, each with K
/// blocks; the longest is expected to exceed the mean by K s sqrt(2 ln P) at most, s being the standard deviation.
/// docs/design/large-programs.md has the reasons. All are infinite where a block was executed once.
struct Sampling {
  std::vector<SampledBlock> blocks = {};  ///< by file and line
  double shorter = 0;                     ///< part of the simulated time
  double longer = 0;                      ///< part of the simulated time
  double in_all_s = 0;                    ///< simulated seconds, over all ranks: by no more in either direction
};

/// @param compute_factor simulated seconds for a second of this host's processor, by rank
[[nodiscard]] Sampling sampling_of(const mpi::channel::Memory& memory, std::span<const double> compute_factor);

}  // namespace orrery::launch
