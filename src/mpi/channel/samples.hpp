// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/channel/sites.hpp"

/// Blocks that the program samples (orrery.h): how often each was executed, how often it was skipped and its mean time
/// counted instead. They lie in shared memory, where ranks find what others have executed, and the launcher the result.
namespace orrery::mpi::channel {

/// Times of some executions of a block, in seconds of this host's processor: their number, their mean, and the sum of
/// the squares of their distances from it.
struct Times {
  std::uint64_t count;
  double mean_s;
  double squares_s2;

  /// Source: Welford 1962, doi:10.1080/00401706.1962.10490022
  void add(double seconds);
  /// Half the width of the interval that contains the mean of `more` further executions, except with the probability
  /// `outside`, if all are draws from one normal distribution. `more` = 0: of very many. Infinite for fewer than two.
  [[nodiscard]] double half_width_s(std::uint64_t more, double outside) const;
  /// The standard deviation of that distribution at most, except with a probability of 5 %. Infinite for fewer than
  /// two. Source: Wilson and Hilferty 1931, doi:10.1073/pnas.17.12.684
  [[nodiscard]] double largest_spread_s() const;
};

/// What one rank did at a place. Written by that rank.
struct SampledByRank {
  Times executed;
  std::uint64_t skipped;
};

/// What is known of a sampled block; `what` of its site.
struct SampledPlace {
  std::atomic<std::uint32_t> lock;  ///< of what follows
  std::uint32_t begun;              ///< by all ranks
  Times together;                   ///< executed by all ranks
  Offset ranks;                     ///< SampledByRank, by world rank; set by the rank that comes first
};

/// The place of that name, which is added where it is new. @throws std::bad_alloc
[[nodiscard]] const Site& sampled_place(Memory& memory, const char* file, std::int32_t line, bool global);

/// A place once the run is over.
struct Sampled {
  std::string file;
  std::int32_t line = 0;
  bool global = false;
  Times together = {};  ///< what all ranks executed
  std::vector<SampledByRank> ranks = {};
};

/// All places, by file and line.
[[nodiscard]] std::vector<Sampled> sampled(const Memory& memory);

}  // namespace orrery::mpi::channel
