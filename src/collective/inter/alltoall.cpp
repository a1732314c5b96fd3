// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/inter/groups.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// As many steps as the larger group has ranks, p: in step k a rank sends to the k-th after it in the other group and
/// receives from the k-th before it, where there are such ranks. Groups of 3 and 2, a and b:
///     a0→b0 a1→b1, b0→a0 b1→a1 | a0→b1 a2→b0, b0→a1 b1→a2 | a1→b0 a2→b1, b0→a2 b1→a0
/// Cost: p · (α + nβ), n bytes per block.
op::Script exchange_in_steps(Call call, Blocks outgoing, Blocks incoming) {
  const int steps = std::max(call.size, call.remote_size);
  for (int step = 0; step < steps; ++step) {
    const int to = (call.self + step) % steps;
    const int from = (call.self - step + steps) % steps;
    const Slice out = to < call.remote_size ? outgoing.at(input, to) : Slice{};
    const Slice in = from < call.remote_size ? incoming.at(output, from) : Slice{};
    co_yield exchange(remote(call, to), out, remote(call, from), in);
  }
}

op::Script exchange_listed(const Call& call) {
  const auto size = static_cast<std::size_t>(call.remote_size);
  return exchange_in_steps(call, Blocks::listed(call.counts.first(size)), Blocks::listed(call.counts.last(size)));
}

}  // namespace

namespace alltoall {

/// Stream of one rank in an all-to-all between two groups; any sizes.
op::Script pairwise_exchange(Call call) {
  return exchange_in_steps(call, Blocks::equal(call.bytes, call.remote_size),
                           Blocks::equal({call.counts[0]}, call.remote_size));
}

}  // namespace alltoall

namespace alltoallv {

/// Stream of one rank in an all-to-all between groups with blocks of any sizes; empty ones are not sent.
op::Script pairwise_exchange(Call call) { return exchange_listed(call); }

}  // namespace alltoallv

}  // namespace orrery::collective
