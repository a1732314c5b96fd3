// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"

/// What the kernel runs when there is no program: traces, schedules, synthetic workloads.
namespace orrery::replay {

/// The streams of all ranks and the communicators that they use. Can be run once.
class Source : public op::Streams, public kernel::Groups {
 public:
  [[nodiscard]] virtual std::uint32_t ranks() const = 0;  ///< at the start
  /// With those that are started later.
  [[nodiscard]] virtual std::uint32_t capacity() const { return ranks(); }
  /// One more than the largest number of a communicator.
  [[nodiscard]] virtual op::CommId comms() const { return 1; }
  /// Null: ranks ask for none.
  [[nodiscard]] virtual kernel::Services* services() { return nullptr; }
  /// Operations that there will be; 0: not known.
  [[nodiscard]] virtual std::uint64_t operations_expected() const { return 0; }
  /// Given to the kernel so far; read by other threads for progress only.
  [[nodiscard]] virtual std::uint64_t operations_given() const { return 0; }
  /// Collective algorithms that its operations refer to beyond the registry: kernel::Config::choices.
  [[nodiscard]] virtual std::span<const collective::Choice> choices() const { return {}; }
  /// What whoever reads the result should know, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> cautions() const { return {}; }
  /// Texts of the call sites that operations name, by number; none: they are not known.
  [[nodiscard]] virtual std::map<std::uint32_t, std::string> sites() const { return {}; }
  /// Calls that are no operations of the streams and take no simulated time, by rank, phase and routine.
  [[nodiscard]] virtual std::vector<kernel::ProfileRow> local_calls() const { return {}; }
  /// Ranks whose streams ended because their file did.
  [[nodiscard]] virtual std::uint32_t cut_off() const { return 0; }

  [[nodiscard]] bool known_ahead() const override { return true; }
  void wait(WorldRank /*rank*/) override {}
  void reply(WorldRank /*rank*/, const op::Reply& /*reply*/) override {}
  void release(op::CommId /*comm*/) override {}
};

}  // namespace orrery::replay
