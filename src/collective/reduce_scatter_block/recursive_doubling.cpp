// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce_scatter_block {
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

/// Stream of one rank in a reduce-scatter of equal blocks by recursive doubling; any size, any associative operation.
///
/// In step k a rank exchanges what its group of 2^k ranks has reduced, but for the group's own blocks, with the rank
/// that differs in bit k. Ranks without a partner get the same from those with one, along a binomial tree. p = 4,
/// blocks a b c d, named with the rank that receives them:
///     0:acd↔1:bcd 2:abc↔3:abd | 0:ab↔2:cd 1:ab↔3:cd
/// Cost, p a power of two: log2 p · α + (log2 p − (p − 1)/p) · n(β + γ), n being all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_doubling(Call call) {
  if (call.bytes.count == 0) co_return;
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const Region sums = scratch;
  const Region outgoing = sums + blocks.total();
  const Region packed = outgoing + blocks.total();
  co_yield copy(sums, blocks.all(input));
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int group = call.self / distance * distance;
    const int peer = call.self ^ distance;
    const int peer_group = peer / distance * distance;
    const AllBut own = without_group(blocks, call.self, distance);
    const AllBut other = without_group(blocks, peer, distance);
    bool received = peer < call.size;
    if (received) {
      co_yield copy(outgoing, own.below(sums));
      co_yield copy(outgoing + own.below(sums).bytes, own.above(sums));
      co_yield exchange(peer, own.packed(outgoing), peer, other.packed(packed));
    }
    const int full = peer_group + distance > call.size ? call.size - peer_group : 0;  // of the own group have partners
    for (int step = distance / 2; peer_group + distance > call.size && step > 0; step /= 2) {
      const int neighbour = call.self ^ step;
      const int end = call.self / (2 * step) * (2 * step) + full;
      if (neighbour > call.self && call.self < end && neighbour >= end) {
        co_yield send(neighbour, other.packed(packed));
      } else if (neighbour < call.self && neighbour < end && call.self >= end) {
        co_yield recv(neighbour, other.packed(packed));
        received = true;
      }
    }
    if (!received) continue;
    const bool from_below = call.commutative || peer_group < group;
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
  co_yield copy(output, blocks.at(sums, call.self));
}

}  // namespace orrery::collective::reduce_scatter_block
