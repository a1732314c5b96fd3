// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/in_place.hpp"

#include "collective/parts/root.hpp"

namespace orrery::collective {

op::Script alltoall_both_neighbors(int self, int size, Blocks outgoing, Blocks incoming) {
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int distance = 1; distance <= size / 2; ++distance) {
    const int right = after(self, distance, size);
    const int left = before(self, distance, size);
    const Slice saved{scratch, outgoing.bytes(right)};
    co_yield copy(scratch, outgoing.at(input, right));
    Started from_right;
    co_yield from_right.irecv(right, incoming.at(output, right));
    if (left == right) {
      co_yield send(right, saved);
      co_yield from_right.wait_all();
      continue;
    }
    co_yield send(left, outgoing.at(input, left));
    co_yield from_right.wait_all();
    Started from_left;
    co_yield from_left.irecv(left, incoming.at(output, left));
    co_yield send(right, saved);
    co_yield from_left.wait_all();
  }
}

op::Script alltoall_there_and_back(int self, int size, Blocks outgoing, Blocks incoming, Empty empty, Empty last) {
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int distance = 1; distance <= size / 2; ++distance) {
    const int right = after(self, distance, size);
    const int left = before(self, distance, size);
    const Slice saved{scratch, outgoing.bytes(left)};
    co_yield copy(scratch, outgoing.at(input, left));
    if (left == right) {
      co_yield exchange(left, saved, left, incoming.at(output, left), last);
      continue;
    }
    co_yield exchange(right, outgoing.at(input, right), left, incoming.at(output, left), empty);
    co_yield exchange(left, saved, right, incoming.at(output, right), empty);
  }
}

}  // namespace orrery::collective
