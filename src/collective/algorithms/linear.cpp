// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "collective/algorithms.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::barrier {

/// Stream of one rank in a linear barrier; any size.
///
/// All ranks report to rank 0, which then releases all. p = 3:
///     1→0 2→0 | 0→1 0→2
/// Cost: 2(p − 1) · α at rank 0.
op::Script linear(Call call) {
  if (call.self != 0) {
    co_yield signal(0);
    co_yield await_signal(0);
    co_return;
  }
  Started started;
  for (int peer = 1; peer < call.size; ++peer) co_yield started.irecv_signal(peer);
  co_yield started.wait_all();
  for (int peer = 1; peer < call.size; ++peer) co_yield started.isend_signal(peer);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::barrier

namespace orrery::collective::bcast {

/// Stream of one rank in a linear broadcast; any size and root.
///
/// The root sends to all others, at the same time. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · (α + nβ), n in bytes.
op::Script linear(Call call) { co_yield linear_bcast(call.self, {call.size, call.root}, {output, call.bytes}); }

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a linear reduction; any size, root and associative operation.
///
/// The root combines the operands in the order of the ranks, last rank first. p = 4, root 1:
///     3→1 | 2→1 | own | 0→1
/// Cost: (p − 1) · (α + nβ + nγ), n in bytes.
op::Script linear(Call call) {
  const Slice operand{input, call.bytes};
  const Slice arrived{scratch, call.bytes};
  if (call.self != call.root) {
    co_yield send(call.root, operand);
    co_return;
  }
  const int last = call.size - 1;
  if (call.self == last) {
    co_yield copy(output, operand);
  } else {
    co_yield recv(last, {output, call.bytes});
  }
  for (int peer = last - 1; peer >= 0; --peer) {
    if (peer == call.self) {
      co_yield combine(output, operand);
    } else {
      co_yield recv(peer, arrived);
      co_yield combine(output, arrived);
    }
  }
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::scan {

/// Stream of one rank in an inclusive prefix reduction along the chain of ranks; any size, any associative operation. p
/// = 3:
///     0→1 | 1→2
/// Cost: (p − 1) · (α + nβ + nγ), n in bytes.
op::Script linear(Call call) {
  const Slice prefix{output, call.bytes};
  const Slice arrived{scratch, call.bytes};
  co_yield copy(output, {input, call.bytes});
  if (call.self > 0) {
    co_yield recv(call.self - 1, arrived);
    co_yield combine(output, arrived);
  }
  if (call.self < call.size - 1) co_yield send(call.self + 1, prefix);
}

}  // namespace orrery::collective::scan

namespace orrery::collective::exscan {

namespace {

op::Script along_chain(Call call, Empty empty) {
  const Slice operand{input, call.bytes};
  const Slice prefix{output, call.bytes};
  if (call.self > 0) co_yield recv(call.self - 1, prefix, empty);
  if (call.self == call.size - 1) co_return;
  if (call.self == 0) {
    co_yield send(1, operand, empty);
    co_return;
  }
  co_yield copy(scratch, operand);
  co_yield combine(scratch, prefix);
  co_yield send(call.self + 1, {scratch, call.bytes}, empty);
}

}  // namespace

/// Stream of one rank in an exclusive prefix reduction along the chain of ranks; any size, any associative operation.
/// The output of rank 0 is left alone. p = 3:
///     0→1 | 1→2
/// Cost: (p − 1) · (α + nβ + nγ), n in bytes.
op::Script linear(Call call) { co_yield along_chain(call, Empty::Skipped); }

/// `linear` with a message that has no elements sent like others.
op::Script linear_even_empty(Call call) { co_yield along_chain(call, Empty::Sent); }

}  // namespace orrery::collective::exscan

namespace orrery::collective::gather {

/// Stream of one rank in a linear gather; any size and root.
///
/// The root receives from one after the other. p = 3, root 1:
///     0→1 | 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script basic_linear(Call call) {
  co_yield gather_in_turn(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::equal(call.bytes, call.size),
                          output);
}

/// Stream of one rank in a linear gather; any size and root.
///
/// The root receives from all others at the same time. p = 3, root 1:
///     0→1 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::equal(call.bytes, call.size),
                         output);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::equal(call.bytes, call.size),
                         output, Empty::Sent);
}

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

namespace orrery::collective::gatherv {

/// Stream of one rank in a linear gather of blocks of any sizes; any size and root.
///
/// The root receives from one after the other; empty blocks are not sent. p = 3, root 1:
///     0→1 | 2→1
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script basic_linear(Call call) {
  co_yield gather_in_turn(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::listed(call.counts), output);
}

/// Stream of one rank in a linear gather of blocks of any sizes; any size and root.
///
/// The root receives from all others at the same time; empty blocks are not sent. p = 3, root 1:
///     0→1 2→1
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script linear(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::listed(call.counts), output);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_gather(call.self, {call.size, call.root}, {input, call.bytes}, Blocks::listed(call.counts), output,
                         Empty::Sent);
}

}  // namespace orrery::collective::gatherv

namespace orrery::collective::scatter {

/// Stream of one rank in a linear scatter; any size and root.
///
/// The root sends to one after the other. p = 3, root 1:
///     1→0 | 1→2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script basic_linear(Call call) {
  co_yield scatter_in_turn(call.self, {call.size, call.root}, {output, call.bytes},
                           Blocks::equal(call.bytes, call.size), input);
}

/// Stream of one rank in a linear scatter; any size and root.
///
/// The root sends to all others at the same time. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::equal(call.bytes, call.size),
                          input);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::equal(call.bytes, call.size),
                          input, Empty::Sent);
}

}  // namespace orrery::collective::scatter

namespace orrery::collective::scatterv {

/// Stream of one rank in a linear scatter of blocks of any sizes; any size and root.
///
/// The root sends to one after the other; empty blocks are not sent. p = 3, root 1:
///     1→0 | 1→2
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script basic_linear(Call call) {
  co_yield scatter_in_turn(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::listed(call.counts), input);
}

/// Stream of one rank in a linear scatter of blocks of any sizes; any size and root.
///
/// The root sends to all others at the same time; empty blocks are not sent. p = 3, root 1:
///     1→0 1→2
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the root's.
op::Script linear(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::listed(call.counts), input);
}

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) {
  co_yield linear_scatter(call.self, {call.size, call.root}, {output, call.bytes}, Blocks::listed(call.counts), input,
                          Empty::Sent);
}

}  // namespace orrery::collective::scatterv

namespace orrery::collective::allgather {

/// Stream of one rank in a linear allgather; any size.
///
/// Each rank receives from all others and sends to all others at the same time, in the order of the ranks; empty blocks
/// too. p = 3:
///     0→1 1→0 2→0 0→2 1→2 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script linear_by_rank(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  const Slice own{input, call.bytes};
  Started started(Empty::Sent);
  for (int peer = 0; peer < call.size; ++peer) {
    if (peer == call.self) continue;
    co_yield started.irecv(peer, blocks.at(output, peer));
    co_yield started.isend(peer, own);
  }
  co_yield copy(blocks.at(output, call.self).region, own);
  co_yield started.wait_all();
}

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

namespace {

op::Script to_all(Call call, Empty empty) {
  const Blocks blocks = Blocks::listed(call.counts);
  const Slice own{input, blocks.bytes(call.self)};
  Started started(empty);
  for (int distance = 1; distance < call.size; ++distance) {
    const int from = before(call.self, distance, call.size);
    co_yield started.irecv(from, blocks.at(output, from));
  }
  for (int distance = 1; distance < call.size; ++distance) {
    co_yield started.isend(after(call.self, distance, call.size), own);
  }
  co_yield copy(blocks.at(output, call.self).region, own);
  co_yield started.wait_all();
}

}  // namespace

/// Stream of one rank in a linear allgather of blocks of any sizes; any size.
///
/// Each rank sends its block to all others and receives theirs, all at the same time; empty blocks are not sent. p = 3:
///     0→1 0→2 1→2 1→0 2→0 2→1
/// Cost: (p − 1) · α + nβ, n in bytes, all blocks but the own.
op::Script linear(Call call) { co_yield to_all(call, Empty::Skipped); }

/// `linear` with empty blocks sent like others.
op::Script linear_even_empty(Call call) { co_yield to_all(call, Empty::Sent); }

}  // namespace orrery::collective::allgatherv

namespace orrery::collective::alltoall {

/// Stream of one rank in an all-to-all, linear; any size.
///
/// Each rank receives from all others and sends to all others at the same time. p = 3:
///     0→1 1→2 2→0 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script linear(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield linear_alltoall(call.self, call.size, blocks, blocks);
}

/// Stream of one rank in an all-to-all, linear, in the order of the ranks; any size; empty blocks are sent like others.
/// p = 3:
///     0→1 1→0 2→0 0→2 1→2 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
/// Source: Hoefler, Lumsdaine, Rehm 2007, doi:10.1145/1362622.1362692
op::Script linear_by_rank(Call call) {
  const Blocks blocks = Blocks::equal(call.bytes, call.size);
  co_yield linear_alltoall_by_rank(call.self, call.size, blocks, blocks, Empty::Sent);
}

namespace {

/// Request of the message number `step`, if at most `window` receives and `window` sends are under way.
op::RequestId request_of(int step, int window, bool receives) {
  return static_cast<op::RequestId>(1 + 2 * (step % window) + (receives ? 0 : 1));
}

op::Operation message(op::Kind kind, int peer, Slice data, op::RequestId request) {
  return {.kind = kind, .peer = peer, .request = request, .bytes = data.bytes, .here = data.region};
}

}  // namespace

/// Stream of one rank in an all-to-all, linear, with at most `fanout` receives and as many sends at a time (0: all);
/// any size.
///
/// When the oldest receive and the oldest send are complete the next ones are started; Open MPI takes whichever is
/// complete first, which sends the same messages in the same order. p = 4, 2 at a time, rank 0:
///     0→3 0→2 | 0→1
/// Cost: (p − 1) · (α + nβ), n bytes per block.
op::Script linear_sync(Call call) {
  const int size = call.size;
  const int steps = size - 1;
  const int window = call.fanout > 0 && call.fanout < steps ? call.fanout : steps;
  const Blocks blocks = Blocks::equal(call.bytes, size);
  if (window == steps || call.bytes.count == 0) {
    co_yield linear(call);
    co_return;
  }
  co_yield copy(blocks.at(output, call.self).region, blocks.at(input, call.self));
  for (int step = 0; step < steps + window; ++step) {
    if (step >= window) {
      const std::array<op::RequestId, 2> oldest{request_of(step, window, true), request_of(step, window, false)};
      co_yield op::Operation{.kind = op::Kind::WaitAll, .requests = oldest};
    }
    if (step >= steps) continue;
    const int from = after(call.self, step + 1, size);
    co_yield message(op::Kind::Irecv, from, blocks.at(output, from), request_of(step, window, true));
    const int to = before(call.self, step + 1, size);
    co_yield message(op::Kind::Isend, to, blocks.at(input, to), request_of(step, window, false));
  }
}

}  // namespace orrery::collective::alltoall

namespace orrery::collective::alltoallv {

/// Stream of one rank in an all-to-all of blocks of any sizes (and datatypes: alltoallw), linear; any size.
///
/// Each rank receives from all others and sends to all others at the same time; empty blocks are not sent. p = 3:
///     0→1 1→2 2→0 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block on average.
op::Script basic_linear(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield linear_alltoall_by_rank(call.self, call.size, outgoing, incoming);
}

/// `basic_linear` with empty blocks sent like others.
op::Script basic_linear_even_empty(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield linear_alltoall_by_rank(call.self, call.size, outgoing, incoming, Empty::Sent);
}

/// Stream of one rank in an all-to-all of blocks of any sizes (and datatypes: alltoallw), linear; any size.
///
/// Each rank receives from all others and sends to all others at the same time; empty blocks are not sent. p = 3:
///     0→1 1→2 2→0 0→2 1→0 2→1
/// Cost: (p − 1) · (α + nβ), n bytes per block on average.
op::Script linear(Call call) {
  const auto size = static_cast<std::size_t>(call.size);
  const Blocks outgoing = Blocks::listed(call.counts.first(size));
  const Blocks incoming = Blocks::listed(call.counts.last(size));
  co_yield linear_alltoall(call.self, call.size, outgoing, incoming);
}

}  // namespace orrery::collective::alltoallv
