// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "mpi/channel/samples.hpp"

namespace orrery::mpi {

class Rank;

/// When a block is executed: at least `executions` times, and, with a `precision` above 0, until the interval of its
/// mean (95 %) reaches no further from the mean than this part of it.
struct Wanted {
  std::int64_t executions = 1;
  double precision = 0;
};

/// Blocks that are executed a few times and then skipped, of one rank (ORRERY_SAMPLE_LOCAL, ORRERY_SAMPLE_GLOBAL).
///
/// A rank that skips a block makes none of the calls that are in it, so there must be none. That also lets a rank wait
/// until another has executed a block: it does, whatever this one does.
class Sampler {
 public:
  explicit Sampler(Rank& rank) : rank_(rank) {}

  /// The program comes to a block. @return whether to execute it; otherwise its mean time has been counted
  [[nodiscard]] bool begin(bool global, const char* file, std::int32_t line, const Wanted& wanted);
  /// It has executed it.
  void end();
  [[nodiscard]] bool in_block() const { return site_ != nullptr; }
  /// Ends the run: the program has called MPI in the block, or left it by other ways than its end.
  [[noreturn]] void refuse_call() const;

 private:
  [[nodiscard]] const channel::Site& site_of(bool global, const char* file, std::int32_t line);
  [[nodiscard]] channel::SampledPlace& place(const channel::Site& site) const;
  [[nodiscard]] channel::SampledByRank& own(const channel::Site& site) const;
  [[nodiscard]] bool executes(const channel::Site& site, const Wanted& wanted);
  /// Whether to execute a block that all ranks sample: waits while others execute it for the first time.
  [[nodiscard]] bool executes_together(channel::SampledPlace& place, const Wanted& wanted);
  [[nodiscard]] std::string name(const channel::Site& site) const;

  Rank& rank_;
  std::map<std::pair<const char*, std::int32_t>, const channel::Site*> known_;
  const channel::Site* site_ = nullptr;  ///< of the block that the program is in
  double computed_before_s_ = 0;         ///< it
};

}  // namespace orrery::mpi
