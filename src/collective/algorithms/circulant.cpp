// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/circulant.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/circulant_rounds.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast on a circulant graph, in segments, each of which takes another way; any size and
/// root. p = 3, segments a, b, c:
///     0→1 a | 0→2 b 1→2 a | 0→1 c 2→1 b | 1→2 c
/// Cost, s segments: (s − 1 + ⌈log2 p⌉) · (α + n/s · β), n in bytes.
/// Source: Träff 2024, doi:10.48550/arXiv.2407.18004
op::Script circulant(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Blocks segments = segments_of(call);
  const auto part = [&](int block) { return block < 0 ? Slice{output, {}} : segments.at(output, block); };
  for (const CirculantRound& round : circulant_rounds(ranks.relative(call.self), call.size, segments.count())) {
    co_yield exchange(ranks.rank(round.to), part(round.out), ranks.rank(round.from), part(round.in));
  }
}

}  // namespace orrery::collective::bcast

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

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce on a circulant graph: a reduce-scatter and an allgather back in ⌈log2 p⌉ rounds
/// each; any size without surplus ranks, commutative operation. p = 3; blocks a, b, c, and 0 begins with its own:
///     0→2 c 1→0 a 2→1 b | 0→1 b 1→2 c 2→0 a | 1→0 b 2→1 c 0→2 a | 0→1 a 1→2 b 2→0 c
/// Cost: 2⌈log2 p⌉ · α + (p − 1)/p · n(2β + γ), n in bytes, and two copies of n.
/// Source: Träff 2024, doi:10.48550/arXiv.2410.14234
op::Script circulant(Call call) {
  const Blocks blocks = Blocks::split(call.bytes, call.element, call.size);
  co_yield turn_to_self(call.self, blocks, scratch, input);
  co_yield circulant_reduce_scatter(call.self, blocks, scratch, scratch + call.bytes);
  co_yield circulant_allgather(call.self, blocks, scratch);
  co_yield turn_back(call.self, blocks, output, scratch);
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter on a circulant graph (`circulant_reduce_scatter`); any size, any counts,
/// commutative operation.
/// Cost: ⌈log2 p⌉ · α + (p − 1)/p · n(β + γ), n being all blocks, and a copy of n.
/// Source: Träff 2024, doi:10.48550/arXiv.2410.14234
op::Script circulant(Call call) { co_yield circulant_scattered(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter on a circulant graph (`circulant_reduce_scatter`); any size, equal blocks,
/// commutative operation.
/// Cost: ⌈log2 p⌉ · α + (p − 1)/p · n(β + γ), n being all blocks, and a copy of n.
/// Source: Träff 2024, doi:10.48550/arXiv.2410.14234
op::Script circulant(Call call) { co_yield circulant_scattered(call.self, Blocks::equal(call.bytes, call.size)); }

}  // namespace orrery::collective::reduce_scatter_block
