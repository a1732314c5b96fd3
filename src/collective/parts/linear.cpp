// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/linear.hpp"

#include <algorithm>
#include <vector>

#include "collective/parts/messages.hpp"

namespace orrery::collective {

op::Script linear_bcast(int self, FromRoot ranks, Slice data) {
  if (self != ranks.root) {
    co_yield recv(ranks.root, data);
    co_return;
  }
  Started started;
  for (int peer = 0; peer < ranks.size; ++peer) {
    if (peer != ranks.root) co_yield started.isend(peer, data);
  }
  co_yield started.wait_all();
}

op::Script linear_gather(int self, FromRoot ranks, Slice own, Blocks blocks, Region base, Empty empty) {
  if (self != ranks.root) {
    co_yield send(ranks.root, own, empty);
    co_return;
  }
  Started started(empty);
  for (int peer = 0; peer < ranks.size; ++peer) {
    if (peer != self) co_yield started.irecv(peer, blocks.at(base, peer));
  }
  co_yield copy(blocks.at(base, self).region, own);
  co_yield started.wait_all();
}

op::Script linear_scatter(int self, FromRoot ranks, Slice own, Blocks blocks, Region base, Empty empty) {
  if (self != ranks.root) {
    co_yield recv(ranks.root, own, empty);
    co_return;
  }
  Started started(empty);
  for (int peer = 0; peer < ranks.size; ++peer) {
    if (peer != self) co_yield started.isend(peer, blocks.at(base, peer));
  }
  co_yield copy(own.region, blocks.at(base, self));
  co_yield started.wait_all();
}

op::Script gather_in_turn(int self, FromRoot ranks, Slice own, Blocks blocks, Region base) {
  if (self != ranks.root) {
    co_yield send(ranks.root, own);
    co_return;
  }
  for (int peer = 0; peer < ranks.size; ++peer) {
    const Slice block = blocks.at(base, peer);
    co_yield peer == self ? copy(block.region, own) : recv(peer, block);
  }
}

op::Script scatter_in_turn(int self, FromRoot ranks, Slice own, Blocks blocks, Region base) {
  if (self != ranks.root) {
    co_yield recv(ranks.root, own);
    co_return;
  }
  for (int peer = 0; peer < ranks.size; ++peer) {
    const Slice block = blocks.at(base, peer);
    co_yield peer == self ? copy(own.region, block) : send(peer, block);
  }
}

op::Script linear_alltoall(int self, int size, Blocks outgoing, Blocks incoming, int batch) {
  Started started;
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int first = 0; first < size; first += batch) {
    const int end = batch < size - first ? first + batch : size;
    for (int distance = std::max(first, 1); distance < end; ++distance) {
      const int from = after(self, distance, size);
      co_yield started.irecv(from, incoming.at(output, from));
    }
    for (int distance = std::max(first, 1); distance < end; ++distance) {
      const int to = before(self, distance, size);
      co_yield started.isend(to, outgoing.at(input, to));
    }
    co_yield started.wait_all();
  }
}

op::Script windowed_alltoall(int self, int size, Blocks outgoing, Blocks incoming, int window, int batch) {
  const int groups = (window + batch - 1) / batch;
  std::vector<Started> started;
  for (int group = 0; group < groups; ++group) started.emplace_back(static_cast<op::RequestId>(1 + 2 * batch * group));
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int first = 0; first < size; first += batch) {
    Started& group = started[static_cast<std::size_t>(first / batch % groups)];
    co_yield group.wait_all();
    for (int distance = std::max(first, 1); distance < std::min(first + batch, size); ++distance) {
      const int from = after(self, distance, size);
      const int to = before(self, distance, size);
      co_yield group.irecv_even_empty(from, incoming.at(output, from));
      co_yield group.isend_even_empty(to, outgoing.at(input, to));
    }
  }
  for (int group = 0; group < groups; ++group) co_yield started[static_cast<std::size_t>(group)].wait_all();
}

op::Script alltoall_in_turn(int self, int size, Blocks outgoing, Blocks incoming) {
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int peer = 0; peer < size; ++peer) {
    if (peer == self) continue;
    co_yield exchange_even_empty(peer, outgoing.at(input, peer), peer, incoming.at(output, peer));
  }
}

op::Script linear_alltoall_by_rank(int self, int size, Blocks outgoing, Blocks incoming, Empty empty) {
  Started started(empty);
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int peer = 0; peer < size; ++peer) {
    if (peer != self) co_yield started.irecv(peer, incoming.at(output, peer));
  }
  for (int peer = 0; peer < size; ++peer) {
    if (peer != self) co_yield started.isend(peer, outgoing.at(input, peer));
  }
  co_yield started.wait_all();
}

op::Script pairwise_alltoall(int self, int size, Blocks outgoing, Blocks incoming, Empty empty) {
  co_yield copy(incoming.at(output, self).region, outgoing.at(input, self));
  for (int distance = 1; distance < size; ++distance) {
    const int to = after(self, distance, size);
    const int from = before(self, distance, size);
    co_yield exchange(to, outgoing.at(input, to), from, incoming.at(output, from), empty);
  }
}

}  // namespace orrery::collective
