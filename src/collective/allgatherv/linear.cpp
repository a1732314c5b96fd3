// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::allgatherv {

namespace {

op::Script to_all(Call call, Empty empty) {
  const Blocks blocks = Blocks::listed(call.counts);
  const Slice own{input, blocks.bytes(call.self)};
  Started started(empty);
  for (int distance = 1; distance < call.size; ++distance) {
    const int from = before(call.self, distance, call.size);
    co_yield started.irecv(from, blocks.at(output, from));
  }
  for (int distance = 1; distance < call.size; ++distance) {
    co_yield started.isend(after(call.self, distance, call.size), own);
  }
  co_yield copy(blocks.at(output, call.self).region, own);
  co_yield started.wait_all();
}

}  // namespace

/// Stream of one rank in a linear allgather of blocks of any sizes; any size.
///
/// Each rank sends its block to all others and receives theirs, all at the same time; empty blocks are not sent. p = 3:
///     0→1 0→2 1→2 1→0 2→0 2→1
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the own.
op::Script linear(Call call) { co_yield to_all(call, Empty::Skipped); }

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) { co_yield to_all(call, Empty::Sent); }

}  // namespace orrery::collective::allgatherv
