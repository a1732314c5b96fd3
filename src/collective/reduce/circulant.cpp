// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/circulant_rounds.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction on a circulant graph, in segments: a broadcast backwards; any size and root,
/// commutative operation. p = 3, segments a, b, c:
///     2→1 c | 1→0 c 1→2 b | 2→0 b 2→1 a | 1→0 a
/// Cost, s segments: (s − 1 + ⌈log2 p⌉) · (α + n/s · (β + γ)), n in bytes, and a copy of n.
/// Source: Träff 2024, doi:10.48550/arXiv.2407.18004
op::Script circulant(Call call) {
  const FromRoot ranks{call.size, call.root};
  const int relative = ranks.relative(call.self);
  const Blocks segments = segments_of(call);
  const Region sums = relative == 0 ? output : scratch + call.bytes;
  const auto part = [&](Region base, int block) { return block < 0 ? Slice{base, {}} : segments.at(base, block); };
  co_yield copy(sums, {input, call.bytes});
  const std::vector<CirculantRound> rounds = circulant_rounds(relative, call.size, segments.count());
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    const Slice arrived = part(scratch, round->out);
    co_yield exchange(ranks.rank(round->from), part(sums, round->in), ranks.rank(round->to), arrived);
    if (round->out >= 0) co_yield combine(part(sums, round->out).region, arrived);
  }
}

}  // namespace orrery::collective::reduce
