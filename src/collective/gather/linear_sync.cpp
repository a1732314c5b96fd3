// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::gather {

/// Stream of one rank in a linear gather in which the root asks for the blocks; any size and root.
///
/// The root asks one rank after the other, and each sends the first segment of its block at once and the rest after it;
/// the root asks the next one as soon as the first segment is there. Without a segment size all of it is the first.
/// Cost: (p − 1) · (2α + nβ), n bytes per block.
op::Script linear_sync(Call call) {
  if (call.bytes.count == 0) co_return;
  const Bytes first = segments_of(call).bytes(0);
  const Slice own{input, call.bytes};
  if (call.self != call.root) {
    co_yield await_signal(call.root);
    Started sends;
    co_yield sends.isend(call.root, {own.region, first});
    co_yield sends.isend_even_empty(call.root, {own.region + first, call.bytes - first});
    co_yield sends.wait_all();
    co_return;
  }
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  Started rest(3);
  for (int peer = 0; peer < call.size; ++peer) {
    if (peer == call.self) continue;
    const Slice block = blocks.at(output, peer);
    co_yield receive_ahead(0, peer, {block.region, first});
    co_yield signal(peer);
    co_yield rest.irecv_even_empty(peer, {block.region + first, call.bytes - first});
    co_yield await_ahead(0);
  }
  co_yield copy(blocks.at(output, call.self).region, own);
  co_yield rest.wait_all();
}

}  // namespace orrery::collective::gather
