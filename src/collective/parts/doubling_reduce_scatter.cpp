// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/doubling_reduce_scatter.hpp"

#include <algorithm>
#include <array>

#include "collective/parts/messages.hpp"

namespace orrery::collective {
namespace {

/// All blocks but those of a group of ranks, and the same packed.
struct AllBut {
  Blocks blocks;
  BlockRange group;

  [[nodiscard]] Slice below(Region base) const { return blocks.range(base, {0, group.first}); }
  [[nodiscard]] Slice above(Region base) const { return blocks.range(base, {group.last, blocks.count()}); }
  [[nodiscard]] Slice packed(Region base) const { return {base, blocks.total() - blocks.range(base, group).bytes}; }
};

AllBut without_group(const Blocks& blocks, int rank, int distance) {
  const int first = rank / distance * distance;
  return {blocks, {first, std::min(first + distance, blocks.count())}};
}

}  // namespace

op::Script doubling_reduce_scatter(int self, bool commutative, Blocks blocks) {
  const int size = blocks.count();
  if (blocks.total().count == 0) co_return;
  const Region sums = scratch;
  const Region outgoing = sums + blocks.total();
  const Region packed = outgoing + blocks.total();
  co_yield copy(sums, blocks.all(input));
  for (int distance = 1; distance < size; distance *= 2) {
    const int group = self / distance * distance;
    const int peer = self ^ distance;
    const int peer_group = peer / distance * distance;
    const AllBut own = without_group(blocks, self, distance);
    const AllBut other = without_group(blocks, peer, distance);
    bool received = peer < size;
    if (received) {
      co_yield copy(outgoing, own.below(sums));
      co_yield copy(outgoing + own.below(sums).bytes, own.above(sums));
      co_yield exchange_even_empty(peer, own.packed(outgoing), peer, other.packed(packed));
    }
    const int full = peer_group + distance > size ? size - peer_group : 0;  // of the own group have partners
    for (int step = distance / 2; peer_group + distance > size && step > 0; step /= 2) {
      const int neighbour = self ^ step;
      const int end = self / (2 * step) * (2 * step) + full;
      if (neighbour > self && self < end && neighbour >= end) {
        co_yield send_even_empty(neighbour, other.packed(packed));
      } else if (neighbour < self && neighbour < end && self >= end) {
        co_yield recv_even_empty(neighbour, other.packed(packed));
        received = true;
      }
    }
    if (!received) continue;
    const bool from_below = commutative || peer_group < group;
    Region arrived = packed;
    const std::array<Slice, 2> parts{other.below(sums), other.above(sums)};
    for (const Slice part : parts) {
      if (from_below) {
        co_yield combine(part.region, {arrived, part.bytes});
      } else {
        co_yield combine(arrived, part);
        co_yield copy(part.region, {arrived, part.bytes});
      }
      arrived = arrived + part.bytes;
    }
  }
  co_yield copy(output, blocks.at(sums, self));
}

}  // namespace orrery::collective
