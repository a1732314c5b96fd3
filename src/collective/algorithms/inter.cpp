// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "collective/algorithms.hpp"
#include "collective/parts/binomial.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/groups.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a barrier of two groups; any sizes.
///
/// Each group has a barrier; the first ranks tell each other, and then the rest of their group, along a binomial tree.
/// Groups of 3 and 2, a and b:
///     a0→a1→a2→a0, b0→b1→b0 | a0→a2→a1→a0 | a0→b0, b0→a0 | a0→a2, b0→b1 | a0→a1
/// Cost: (⌈log2 p⌉ + 1 + ⌈log2 p⌉) · α, p being the larger size.
op::Script inter_bcast(Call call) {
  co_yield dissemination({.kind = CollectiveKind::Barrier, .self = call.self, .size = call.size});
  const BinomialNode node{call.self, call.size};
  if (call.self == 0) {
    co_yield exchange_signals(remote(call, 0), remote(call, 0));
  } else {
    co_yield await_signal(node.parent());
  }
  for (int distance = node.reach() / 2; distance >= 1; distance /= 2) {
    if (node.has_child(distance)) co_yield signal(node.child(distance));
  }
}

}  // namespace orrery::collective::barrier

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast from one group to the other; any sizes and root.
///
/// The root sends to the first rank of the other group, which broadcasts there along a binomial tree. Groups of 2 and
/// 4, a and b, root a1:
///     a1→b0 | b0→b2 | b0→b1 b2→b3
/// Cost: (1 + ⌈log2 p⌉) · (α + nβ), n in bytes, p ranks without the root's group.
op::Script remote_send_local_bcast(Call call) {
  const Slice data{output, call.bytes};
  if (call.root == op::root_here) co_yield send(remote(call, 0), data);
  if (!opposite_root(call)) co_return;
  if (call.self == 0) co_yield recv(remote(call, call.root), data);
  co_yield bcast_from_first(call.self, call.size, data);
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction of one group to a root in the other; any sizes, root and associative operation.
///
/// A binomial reduction to the first rank, which sends the result to the root. Groups of 4 and 2, a and b, root b1:
///     a1→a0 a3→a2 | a2→a0 | a0→b1
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ) + α + nβ, n in bytes, p ranks without the root's group.
op::Script local_reduce_remote_send(Call call) {
  if (call.root == op::root_here) co_yield recv(remote(call, 0), {output, call.bytes});
  if (!opposite_root(call)) co_return;
  Accumulator accumulator(call.self, call.commutative, scratch, scratch + call.bytes);
  co_yield reduce_to_first(call.self, call.size, &accumulator, call.bytes);
  if (call.self == 0) co_yield send(remote(call, call.root), {accumulator.value(), call.bytes});
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce, in which each group gets what the other one's operands give; any sizes and
/// associative operation.
///
/// Each group reduces to its first rank; these exchange the results and broadcast them. Groups of 3 and 2, a and b:
///     a1→a0, b1→b0 | a2→a0 | a0→b0, b0→a0 | a0→a2, b0→b1 | a0→a1
/// Cost: ⌈log2 p⌉ · (2α + 2nβ + nγ) + α + nβ, n in bytes, p being the larger size.
op::Script reduce_exchange_bcast(Call call) {
  Accumulator accumulator(call.self, call.commutative, scratch, scratch + call.bytes);
  co_yield reduce_to_first(call.self, call.size, &accumulator, call.bytes);
  const Slice result{output, call.bytes};
  if (call.self == 0) {
    co_yield exchange(remote(call, 0), {accumulator.value(), call.bytes}, remote(call, 0), result);
  }
  co_yield bcast_from_first(call.self, call.size, result);
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective {

namespace {

/// Each group reduces to its first rank; these exchange the results and give each rank of their group its block, all at
/// the same time. Groups of 3 and 2, a and b:
///     a1→a0, b1→b0 | a2→a0 | a0→b0, b0→a0 | a0→a1 a0→a2, b0→b1
/// Cost: ⌈log2 p⌉ · (α + nβ + nγ) + α + nβ + (p − 1) · α + nβ, n in bytes, p being the larger size.
op::Script reduce_exchange_scatter(Call call, Blocks blocks) {
  const Bytes whole = blocks.total();
  Accumulator accumulator(call.self, call.commutative, scratch, scratch + whole);
  co_yield reduce_to_first(call.self, call.size, &accumulator, whole);
  // Beyond both places of the accumulator.
  const Region arrived = scratch + whole + whole;
  if (call.self == 0) {
    co_yield exchange(remote(call, 0), {accumulator.value(), whole}, remote(call, 0), {arrived, whole});
  }
  co_yield linear_scatter(call.self, {call.size, 0}, {output, blocks.bytes(call.self)}, blocks, arrived);
}

}  // namespace

namespace reduce_scatter {

/// Stream of one rank in a reduce-scatter, in which each group shares what the other one's operands give; any sizes,
/// blocks and associative operation.
op::Script remote_reduce_local_scatter(Call call) { return reduce_exchange_scatter(call, Blocks::listed(call.counts)); }

}  // namespace reduce_scatter

namespace reduce_scatter_block {

/// Stream of one rank in a reduce-scatter between two groups with equal blocks.
op::Script remote_reduce_local_scatter(Call call) {
  return reduce_exchange_scatter(call, Blocks::equal(call.bytes, call.size));
}

}  // namespace reduce_scatter_block

namespace {

/// The root receives from all ranks of the other group at the same time. Groups of 2 and 3, a and b, root a1:
///     b0→a1 b1→a1 b2→a1
/// Cost: p · (α + nβ), n bytes per block, p ranks without the root's group.
op::Script remote_linear_gather(Call call, Blocks blocks) {
  if (opposite_root(call)) co_yield send(remote(call, call.root), {input, call.bytes});
  if (call.root != op::root_here) co_return;
  Started started;
  for (int rank = 0; rank < call.remote_size; ++rank) {
    co_yield started.irecv(remote(call, rank), blocks.at(output, rank));
  }
  co_yield started.wait_all();
}

}  // namespace

namespace gather {

/// Stream of one rank in a gather from one group to a root in the other; any sizes and root.
op::Script inter_linear(Call call) { return remote_linear_gather(call, Blocks::equal(call.bytes, call.remote_size)); }

/// Stream of one rank in a gather of short messages to a root in the other group: one message between the groups.
///
/// A binomial gather at the first rank, which sends all blocks to the root. Groups of 2 and 4, a and b, root a1:
///     b1→b0 b3→b2 | b2→b0 (2 blocks) | b0→a1 (4 blocks)
/// Cost: (⌈log2 p⌉ + 1) · α + (2p − 1)nβ, n bytes per block, p ranks without the root's group.
op::Script local_gather_remote_send(Call call) {
  if (call.root == op::root_here) {
    co_yield recv(remote(call, 0), Blocks::equal(call.bytes, call.remote_size).all(output));
  }
  if (!opposite_root(call)) co_return;
  co_yield gather_to_first(call.self, call.size, call.bytes);
  if (call.self == 0) co_yield send(remote(call, call.root), Blocks::equal(call.bytes, call.size).all(scratch));
}

}  // namespace gather

namespace gatherv {

/// The linear gather with blocks of any sizes; empty ones are not sent.
op::Script inter_linear(Call call) { return remote_linear_gather(call, Blocks::listed(call.counts)); }

}  // namespace gatherv

namespace {

/// The root sends to all ranks of the other group at the same time. Groups of 2 and 3, a and b, root a1:
///     a1→b0 a1→b1 a1→b2
/// Cost: p · (α + nβ), n bytes per block, p ranks without the root's group.
op::Script remote_linear_scatter(Call call, Blocks blocks) {
  if (opposite_root(call)) co_yield recv(remote(call, call.root), {output, call.bytes});
  if (call.root != op::root_here) co_return;
  Started started;
  for (int rank = 0; rank < call.remote_size; ++rank) {
    co_yield started.isend(remote(call, rank), blocks.at(input, rank));
  }
  co_yield started.wait_all();
}

}  // namespace

namespace scatter {

/// Stream of one rank in a scatter from a root to the other group; any sizes and root.
op::Script inter_linear(Call call) { return remote_linear_scatter(call, Blocks::equal(call.bytes, call.remote_size)); }

/// Stream of one rank in a scatter of short messages to the other group: one message between the groups.
///
/// The root sends all blocks to the first rank, from where a binomial scatter goes on. Groups of 2 and 4, a and b, root
/// a1:
///     a1→b0 (4 blocks) | b0→b2 (2 blocks) | b0→b1 b2→b3
/// Cost: (⌈log2 p⌉ + 1) · α + (2p − 1)nβ, n bytes per block, p ranks without the root's group.
op::Script remote_send_local_scatter(Call call) {
  if (call.root == op::root_here) {
    co_yield send(remote(call, 0), Blocks::equal(call.bytes, call.remote_size).all(input));
  }
  if (!opposite_root(call)) co_return;
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  if (call.self == 0) co_yield recv(remote(call, call.root), blocks.all(scratch));
  const Region base = scratch - blocks.offset(call.self);
  co_yield binomial_scatter(call.self, {call.size, 0}, blocks, base);
  co_yield copy(output, blocks.at(base, call.self));
}

}  // namespace scatter

namespace scatterv {

/// The linear scatter with blocks of any sizes; empty ones are not sent.
op::Script inter_linear(Call call) { return remote_linear_scatter(call, Blocks::listed(call.counts)); }

}  // namespace scatterv

namespace allgather {

/// Stream of one rank in an allgather, in which each group gets the blocks of the other; any sizes.
///
/// Each group gathers at its first rank; these exchange what they have and broadcast it. Groups of 3 and 2, a and b:
///     a1→a0, b1→b0 | a2→a0 | a0→b0 (3 blocks), b0→a0 (2 blocks) | a0→a2, b0→b1 | a0→a1
/// Cost: (2⌈log2 p⌉ + 1) · α + (2 + ⌈log2 p⌉) · pnβ, n bytes per block, p being the larger size.
op::Script local_gather_remote_bcast(Call call) {
  const Slice own = Blocks::equal(call.bytes, call.size).all(scratch);
  const Slice theirs = Blocks::equal({call.counts[0]}, call.remote_size).all(output);
  if (call.bytes.count > 0) co_yield gather_to_first(call.self, call.size, call.bytes);
  if (call.self == 0) co_yield exchange(remote(call, 0), own, remote(call, 0), theirs);
  co_yield bcast_from_first(call.self, call.size, theirs);
}

}  // namespace allgather

namespace allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes, in which each group gets those of the other.
///
/// Each rank sends its block to the first one of the other group, which broadcasts all of them; empty ones are not
/// sent. Groups of 3 and 2, a and b:
///     a0→b0 a1→b0 a2→b0, b0→a0 b1→a0 | a0→a2, b0→b1 | a0→a1
/// Cost: (p + ⌈log2 p⌉) · α + (1 + ⌈log2 p⌉) · nβ, n bytes of all blocks of a group, p being the larger size.
op::Script remote_gather_local_bcast(Call call) {
  const Blocks blocks = Blocks::listed(call.counts);
  Started started;
  for (int rank = 0; call.self == 0 && rank < call.remote_size; ++rank) {
    co_yield started.irecv(remote(call, rank), blocks.at(output, rank));
  }
  co_yield started.isend(remote(call, 0), {input, call.bytes});
  co_yield started.wait_all();
  co_yield bcast_from_first(call.self, call.size, blocks.all(output));
}

}  // namespace allgatherv

namespace {

/// As many steps as the larger group has ranks, p: in step k a rank sends to the k-th after it in the other group and
/// receives from the k-th before it, where there are such ranks. Groups of 3 and 2, a and b:
///     a0→b0 a1→b1, b0→a0 b1→a1 | a0→b1 a2→b0, b0→a1 b1→a2 | a1→b0 a2→b1, b0→a2 b1→a0
/// Cost: p · (α + nβ), n bytes per block.
op::Script exchange_in_steps(Call call, Blocks outgoing, Blocks incoming) {
  const int steps = std::max(call.size, call.remote_size);
  for (int step = 0; step < steps; ++step) {
    const int to = (call.self + step) % steps;
    const int from = (call.self - step + steps) % steps;
    const Slice out = to < call.remote_size ? outgoing.at(input, to) : Slice{};
    const Slice in = from < call.remote_size ? incoming.at(output, from) : Slice{};
    co_yield exchange(remote(call, to), out, remote(call, from), in);
  }
}

op::Script exchange_listed(const Call& call) {
  const auto size = static_cast<std::size_t>(call.remote_size);
  return exchange_in_steps(call, Blocks::listed(call.counts.first(size)), Blocks::listed(call.counts.last(size)));
}

}  // namespace

namespace alltoall {

/// Stream of one rank in an all-to-all between two groups; any sizes.
op::Script pairwise_exchange(Call call) {
  return exchange_in_steps(call, Blocks::equal(call.bytes, call.remote_size),
                           Blocks::equal({call.counts[0]}, call.remote_size));
}

}  // namespace alltoall

namespace alltoallv {

/// Stream of one rank in an all-to-all between groups with blocks of any sizes; empty ones are not sent.
op::Script pairwise_exchange(Call call) { return exchange_listed(call); }

}  // namespace alltoallv

}  // namespace orrery::collective
