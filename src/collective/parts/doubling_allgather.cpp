// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/doubling_allgather.hpp"

#include "collective/parts/messages.hpp"

namespace orrery::collective {

op::Script doubling_allgather(int self, FromRoot ranks, Blocks clipped, Region base) {
  const int own = ranks.relative(self);
  for (int distance = 1; distance < ranks.size; distance *= 2) {
    const int group = own / distance * distance;
    const int other = own ^ distance;
    const int other_group = other / distance * distance;
    const Slice theirs = clipped.range(base, {other_group, other_group + distance});
    if (other < ranks.size) {
      const int peer = ranks.rank(other);
      co_yield exchange_even_empty(peer, clipped.range(base, {group, group + distance}), peer, theirs);
    }
    if (other_group + distance <= ranks.size) continue;
    const int full = ranks.size - other_group;  // so many ranks of the own group have partners
    for (int step = distance / 2; step > 0; step /= 2) {
      const int neighbour = own ^ step;
      const int end = own / (2 * step) * (2 * step) + full;
      if (neighbour > own && own < end && neighbour >= end) {
        co_yield send_even_empty(ranks.rank(neighbour), theirs);
      } else if (neighbour < own && neighbour < end && own >= end) {
        co_yield recv_even_empty(ranks.rank(neighbour), theirs);
      }
    }
  }
}

}  // namespace orrery::collective
