// SPDX-License-Identifier: BSD-3-Clause
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
