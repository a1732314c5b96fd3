// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective::alltoall {
namespace {

/// Request of the message number `step`, if at most `window` receives and `window` sends are under way.
op::RequestId request_of(int step, int window, bool receives) {
  return static_cast<op::RequestId>(1 + 2 * (step % window) + (receives ? 0 : 1));
}

op::Operation message(op::Kind kind, int peer, Slice data, op::RequestId request) {
  return {.kind = kind, .peer = peer, .request = request, .bytes = data.bytes, .here = data.region};
}

}  // namespace

/// Stream of one rank in an all-to-all, linear, with at most `fanout` receives and as many sends at a time (0: all);
/// any size.
///
/// When the oldest receive and the oldest send are complete the next ones are started; Open MPI takes whichever is
/// complete first, which sends the same messages in the same order. p = 4, 2 at a time, rank 0:
///     0→3 0→2 | 0→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear_sync(Call call) {
  const int size = call.size;
  const int steps = size - 1;
  const int window = call.fanout > 0 && call.fanout < steps ? call.fanout : steps;
  const Blocks blocks = Blocks::equal(call.bytes, size);
  if (window == steps || call.bytes.count == 0) {
    co_yield linear(call);
    co_return;
  }
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
  for (int step = 0; step < steps + window; ++step) {
    if (step >= window) {
      const std::array<op::RequestId, 2> oldest{request_of(step, window, true), request_of(step, window, false)};
      co_yield op::Operation{.kind = op::Kind::WaitAll, .requests = oldest};
    }
    if (step >= steps) continue;
    const int from = after(call.self, step + 1, size);
    co_yield message(op::Kind::Irecv, from, blocks.at(output, from), request_of(step, window, true));
    const int to = before(call.self, step + 1, size);
    co_yield message(op::Kind::Isend, to, blocks.at(input, to), request_of(step, window, false));
  }
}

}  // namespace orrery::collective::alltoall
