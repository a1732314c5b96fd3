// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernel/kernel.hpp"

/// A loop of calls as benchmarks have it, without any program.
namespace orrery::kernel {

/// What a rank does in a loop.
enum class Act : std::uint8_t {
  Send,        ///< of `bytes` to `peer`, until it is over
  Recv,        ///< the same from `peer`
  Isend,       ///< begin to send
  Irecv,       ///< begin to receive
  WaitAll,     ///< until all is over that was begun
  Collective,  ///< of all ranks; `peer` is the root, if it has one
};

struct Step {
  Act act = Act::Collective;
  std::int32_t peer = 0;
  Bytes bytes = {};
  std::int64_t element = 1;  ///< bytes of one element, of a collective
  op::CollectiveKind collective = op::CollectiveKind::Barrier;
};

/// What one rank does in each turn.
using Body = std::vector<Step>;

/// Every rank makes its body's steps, turn after turn, without a pause between them. Blocks of collectives are all
/// alike, and reductions commute; collectives among neighbours are none of them.
///
/// @param bodies one for each rank   @param selector chooses the algorithms of collectives
/// @return for each turn the time from the end of the one before on rank 0, where benchmarks look at the clock
/// @throws InputError for bodies that wait for messages that nobody sends
/// @throws Interrupted when `config.interrupt` says so
[[nodiscard]] std::vector<Duration> times_of_turns(const std::vector<Body>& bodies, std::uint32_t turns,
                                                   const collective::Selector& selector, Config config,
                                                   transport::Transport& transport);

}  // namespace orrery::kernel
