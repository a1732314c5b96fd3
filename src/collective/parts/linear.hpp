// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"
#include "op/script.hpp"

/// One rank talks to all others, or all to all, all messages at the same time.
namespace orrery::collective {

/// The root sends `data` to all others, at the same time. Cost: (p − 1) · (α + nβ), n in bytes.
[[nodiscard]] op::Script linear_bcast(int self, FromRoot ranks, Slice data);

/// The root receives `own` of each rank as the block of that rank. `blocks` and `base` matter at the root only.
/// Cost: (p − 1) · (α + nβ), n bytes per rank.
[[nodiscard]] op::Script linear_gather(int self, FromRoot ranks, Slice own, Blocks blocks, Region base,
                                       Empty empty = Empty::Skipped);

/// The root sends each rank its block, which becomes `own`. `blocks` and `base` matter at the root only.
/// Cost: (p − 1) · (α + nβ), n bytes per rank.
[[nodiscard]] op::Script linear_scatter(int self, FromRoot ranks, Slice own, Blocks blocks, Region base,
                                        Empty empty = Empty::Skipped);

/// A gather and a scatter with the messages one after the other, in the order of the ranks.
[[nodiscard]] op::Script gather_in_turn(int self, FromRoot ranks, Slice own, Blocks blocks, Region base);
[[nodiscard]] op::Script scatter_in_turn(int self, FromRoot ranks, Slice own, Blocks blocks, Region base);

/// Each rank sends each other one a block of the input and receives one into the output.
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// @param batch so many at a time, itself among the first, then the next ones
[[nodiscard]] op::Script linear_alltoall(int self, int size, Blocks outgoing, Blocks incoming,
                                         int batch = std::numeric_limits<int>::max());

/// An all-to-all that waits for no whole batch: `window` exchanges are under way, and when the oldest `batch` of them
/// are done the next ones start; the nearest ranks first, empty blocks too.
[[nodiscard]] op::Script windowed_alltoall(int self, int size, Blocks outgoing, Blocks incoming, int window, int batch);

/// An all-to-all of one exchange after the other, in the order of the ranks; empty blocks too.
[[nodiscard]] op::Script alltoall_in_turn(int self, int size, Blocks outgoing, Blocks incoming);

/// How many MPICH takes at a time.
inline constexpr int alltoall_throttle = 32;

/// An all-to-all with receives and sends in the order of the ranks instead of that of the ring.
[[nodiscard]] op::Script linear_alltoall_by_rank(int self, int size, Blocks outgoing, Blocks incoming,
                                                 Empty empty = Empty::Skipped);

/// An all-to-all in p − 1 steps: in step k each rank sends to the k-th after it and receives from the k-th before it.
/// Cost: (p − 1) · (α + nβ), n bytes per block; at any time each rank sends one message and receives one.
[[nodiscard]] op::Script pairwise_alltoall(int self, int size, Blocks outgoing, Blocks incoming,
                                           Empty empty = Empty::Skipped);

}  // namespace orrery::collective
