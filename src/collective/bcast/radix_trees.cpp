// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/tree.hpp"

namespace orrery::collective::bcast {

namespace {

int radix_of(const Call& call) { return call.fanout > 0 ? call.fanout : 2; }

/// Bytes, whatever the elements, the shorter segment first.
Blocks chunks_of(const Call& call) { return Blocks::segments_short_first(call.bytes, 1, call.segment); }

}  // namespace

/// Streams of one rank in a broadcast along trees with a radix k, in segments of which the first is the shorter one;
/// any size and root. k is `fanout`, 2 if it is 0; with k = 1 the complete tree is a chain. Cost, s segments, height h:
/// (h + s − 1) · (k − 1) · (α + n/s · β) at most, n in bytes.
op::Script kary_tree(Call call) {
  co_yield tree_bcast(collective::kary_tree(call.self, {call.size, call.root}, radix_of(call)), chunks_of(call),
                      output);
}

op::Script contiguous_knomial_tree(Call call) {
  co_yield tree_bcast(collective::contiguous_knomial_tree(call.self, {call.size, call.root}, radix_of(call)),
                      chunks_of(call), output);
}

op::Script descending_knomial_tree(Call call) {
  co_yield tree_bcast(collective::descending_knomial_tree(call.self, {call.size, call.root}, radix_of(call)),
                      chunks_of(call), output);
}

}  // namespace orrery::collective::bcast
