// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/openmpi_rules.hpp"
#include "collective/parts/blocks.hpp"
#include "collective/parts/embed.hpp"
#include "collective/parts/linear.hpp"
#include "collective/parts/reduce_scatter.hpp"

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce as a linear reduction to rank 0 and a linear broadcast; any size, any associative
/// operation. p = 3:
///     2→0 | 1→0 | 0→1 0→2
/// Cost: 2(p − 1) · (α + nβ) + (p − 1) · nγ, n in bytes.
op::Script basic_linear(Call call) {
  call.root = 0;
  co_yield reduce::linear(call);
  co_yield bcast::linear(call);
}

/// Stream of one rank in an allreduce as a reduction to rank 0 and a broadcast, each with the algorithm that MPICH
/// chooses for the immediate form; any size, any associative operation. Cost: the sum of both.
op::Script naive(Call call) {
  call.immediate = true;
  call.root = 0;
  call.kind = CollectiveKind::Reduce;
  const Choice reduction = mpich_5_0_choice(call);
  co_yield reduction.algorithm->stream(reduction.applied_to(call));
  call.kind = CollectiveKind::Bcast;
  const Choice broadcast = mpich_5_0_choice(call);
  co_yield broadcast.algorithm->stream(broadcast.applied_to(call));
}

/// Stream of one rank in an allreduce as a reduction to rank 0 and a broadcast, each with the algorithm that Open MPI
/// chooses for it; any size, any associative operation. Cost: the sum of both.
op::Script nonoverlapping(Call call) {
  call.root = 0;
  call.kind = CollectiveKind::Reduce;
  co_yield openmpi_stream(call);
  call.kind = CollectiveKind::Bcast;
  co_yield openmpi_stream(call);
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter as a reduction to rank 0, with the algorithm that Open MPI chooses, and a
/// linear scatter; any size, any associative operation. Cost: the sum of both.
op::Script nonoverlapping(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  call.kind = CollectiveKind::Reduce;
  call.root = 0;
  call.bytes = blocks.total();
  if (call.bytes.count == 0) co_return;
  co_yield embed(openmpi_stream(call), {.output = scratch, .scratch = scratch + call.bytes});
  co_yield linear_scatter(call.self, {call.size, 0}, {output, blocks.bytes(call.self)}, blocks, scratch);
}

/// Stream of one rank in a reduce-scatter as a binomial reduction to rank 0 and a linear scatter; any size, any
/// associative operation. p = 6:
///     1→0 3→2 5→4 | 2→0 | 4→0 | 0→1 0→2 0→3 0→4 0→5
/// Cost: (⌈log2 p⌉ + p − 1) · α + ⌈log2 p⌉ · n(β + γ) + (p − 1)/p · nβ, n in bytes, all blocks.
op::Script reduce_scatterv(Call call) {
  co_yield reduce_then_scatter(call.self, call.commutative, Blocks::listed(call.counts));
}

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks as a reduction to rank 0 and a scatter, each with the
/// algorithm that Open MPI chooses for it; any size, any associative operation. Cost: the sum of both.
op::Script basic_linear(Call call) {
  if (call.bytes.count == 0) co_return;
  const Bytes whole = call.bytes * call.size;
  Call part = call;
  part.root = 0;
  part.kind = CollectiveKind::Reduce;
  part.bytes = whole;
  co_yield embed(openmpi_stream(part), {.output = scratch, .scratch = scratch + whole});
  part.kind = CollectiveKind::Scatter;
  part.bytes = call.bytes;
  co_yield embed(openmpi_stream(part), {.input = scratch, .scratch = scratch + whole});
}

/// Stream of one rank in a reduce-scatter of equal blocks as a binomial reduction to rank 0 and a linear scatter; any
/// size, any associative operation. p = 6:
///     1→0 3→2 5→4 | 2→0 | 4→0 | 0→1 0→2 0→3 0→4 0→5
/// Cost: (⌈log2 p⌉ + p − 1) · α + ⌈log2 p⌉ · n(β + γ) + (p − 1)/p · nβ, n in bytes, all blocks.
op::Script reduce_scatterv(Call call) {
  co_yield reduce_then_scatter(call.self, call.commutative, Blocks::equal(call.bytes, call.size));
}

}  // namespace orrery::collective::reduce_scatter_block

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather as a gather to rank 0 and a broadcast, each with the algorithm that Open MPI
/// chooses for it; any size. Cost: the sum of both.
op::Script gather_bcast(Call call) {
  call.root = 0;
  call.kind = CollectiveKind::Gather;
  co_yield openmpi_stream(call);
  call.kind = CollectiveKind::Bcast;
  call.bytes = call.bytes * call.size;
  co_yield openmpi_stream(call);
}

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes as a linear gather to rank 0 and a broadcast with the
/// algorithm that Open MPI chooses; it sees one element, which it cannot cut. Any size. Cost: the sum of both.
op::Script gather_bcast(Call call) {
  const Blocks blocks = Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size)));
  co_yield linear_gather(call.self, {call.size, 0}, {input, blocks.bytes(call.self)}, blocks, output);
  call.kind = CollectiveKind::Bcast;
  call.root = 0;
  call.bytes = blocks.total();
  if (call.bytes.count == 0) co_return;
  call.element = call.bytes.count;
  co_yield openmpi_stream(call);
}

}  // namespace orrery::collective::allgatherv
