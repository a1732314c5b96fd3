// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/enumerate.hpp"
#include "kernel/kernel.hpp"

/// What one call of a collective costs, without any program.
namespace orrery::kernel {

struct CallCost {
  Duration time;  ///< from the call, which all ranks make at one moment, until the last of them goes on
  std::uint64_t messages = 0;
  Bytes bytes;  ///< of all messages
  std::uint64_t events = 0;
  std::uint64_t stalled = 0;  ///< messages that waited for a time-out
};

/// Simulates one call on MPI_COMM_WORLD; the network carries nothing else.
///
/// Cost: that of its messages, about a microsecond each, and of the order of 3 kB for each rank.
/// @param choice of an algorithm that accepts the call   @param config of as many ranks as the call has
/// @param network new: its time is 0
/// @throws Interrupted when `config.interrupt` says so
[[nodiscard]] CallCost cost_of_call(const collective::WholeCall& call, const collective::Choice& choice, Config config,
                                    transport::Transport& transport);

/// What a benchmark makes of the times that the ranks spend in a call.
enum class OverRanks : std::uint8_t { Longest, Mean };

/// What a benchmark measures that synchronises the ranks by a barrier before each call: for each repetition the longest
/// time that a rank spends in the call, or the mean of all ranks. Ranks leave the barrier at different times, and the
/// network is as the calls before left it: a few untimed ones, a reduction and a broadcast, as src/measure/collectives
/// makes them.
///
/// @param selector chooses the algorithms of the call and of all others
/// @throws Interrupted when `config.interrupt` says so
[[nodiscard]] std::vector<Duration> timed_calls(const collective::WholeCall& call, const collective::Selector& selector,
                                                Config config, transport::Transport& transport,
                                                std::uint32_t repetitions, OverRanks over = OverRanks::Longest);

}  // namespace orrery::kernel
