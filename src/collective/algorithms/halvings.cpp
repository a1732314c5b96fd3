// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/parts/halved.hpp"
#include "collective/parts/halving.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/reduce_scatter.hpp"

namespace orrery::collective::reduce {

HandOver rabenseifner_hands_over(const Call& call) {
  if (!call.commutative) return {"linear", does_not_commute};
  const int power = Halved(call).power();
  return power < 2 || elements_of(call) < power ? HandOver{"linear", fewer_elements_than_ranks} : HandOver{};
}

/// Stream of one rank in a reduction by Rabenseifner's algorithm as Open MPI does it (`Halved`), windows gathered along
/// a binomial tree; any size and root, operations that commute. A root that does not remain takes the place of rank 0
/// after the reduce-scatter. With fewer elements than ranks that remain, or another operation: linear. p = 4, root 0;
/// quarters a, b, c, d:
///     0:ab↔1:cd 2:ab↔3:cd | 0:a↔2:b 1:c↔3:d | 2→0 b 3→1 d | 1→0 cd
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script rabenseifner(Call call) {
  const Halved halved(call);
  if (rabenseifner_hands_over(call)) {
    co_yield linear(call);
    co_return;
  }
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes;
  co_yield halved_fold(halved, home, scratch);
  if (halved.remains()) co_yield halved_reduce_scatter(halved, home, scratch);

  const bool replaced = halved.dropped(call.root);  // the root gathers as number 0
  const int top = replaced ? 0 : halved.number(call.root);
  const bool gathers = is_root || (halved.remains() && !(replaced && call.self == 0));
  const int number = is_root ? top : halved.number();
  auto steps = halved.steps(number);
  if (replaced) {
    const Slice window = halved.steps(0).back().kept.at(home);
    if (call.self == 0) co_yield send(call.root, window);
    if (is_root) co_yield recv(0, window);
  }
  if (!gathers) co_return;
  for (auto step = steps.size(); step-- > 0;) {
    const int peer = replaced && steps[step].peer == 0 ? call.root : halved.rank(steps[step].peer);
    // Who shares the bits from this one up with the root goes on; the partner hands its window over.
    const bool peer_is_nearer = ((steps[step].peer ^ top) >> step) == 0;
    if (peer_is_nearer) {
      co_yield send(peer, steps[step].kept.at(home));
      co_return;
    }
    co_yield recv(peer, steps[step].given.at(home));
  }
}

/// Stream of one rank in a reduction of a long vector by Rabenseifner's algorithm, a reduce-scatter by recursive
/// halving and a gather; any size, root and associative operation.
///
/// The odd ranks of the r = p − 2^⌊log2 p⌋ surplus pairs of neighbours first hand their operand to the even ones. Where
/// one of them is the root, it takes the place of rank 0 after the reduce-scatter. p = 6, r = 2, root 0; quarters of
/// the vector a, b, c, d, named with the rank that receives them:
///     fold 1→0 3→2 | 0:ab↔2:cd 4:ab↔5:cd | 0:a↔4:b 2:c↔5:d | gather 4→0 b, 5→2 d | 2→0 cd
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script reduce_scatter_gather(Call call) {
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes;
  const Fold fold(call.self, call.size, Fold::Remaining::Even);
  Accumulator accumulator(call.self, call.commutative, home, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (!fold.remains() && !is_root) co_return;
  const Blocks blocks = halved_blocks(call, fold.power());
  BlockRange own{0, blocks.count()};
  if (fold.remains()) {
    co_yield scatter_reduce(fold, blocks, &accumulator, &own);
    co_yield accumulator.place(home, blocks.range(accumulator.value(), own));
  }
  const bool replaces = fold.rank(fold.number(call.root)) != call.root;  // the root is one that does not remain
  const int top = replaces ? 0 : fold.number(call.root);
  if (replaces && is_root) {
    own = {0, 1};
    co_yield recv(0, blocks.range(home, own));
  } else if (replaces && call.self == 0) {
    co_yield send(call.root, blocks.range(home, own));
    co_return;
  }
  const int number = is_root ? top : fold.number();
  for (int distance = fold.power() / 2; distance >= 1; distance /= 2) {
    const int other = number ^ distance;
    const int peer = replaces && other == 0 ? call.root : fold.rank(other);
    if (((number ^ top) & distance) != 0) {
      co_yield send(peer, blocks.range(home, own));
      co_return;
    }
    co_yield recv(peer, blocks.range(home, own.sibling()));
    own = own.parent();
  }
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

HandOver rabenseifner_hands_over(const Call& call) {
  if (!call.commutative) return {"basic_linear", does_not_commute};
  return elements_of(call) < Halved(call).power() ? HandOver{"basic_linear", fewer_elements_than_ranks} : HandOver{};
}

/// Stream of one rank in an allreduce by Rabenseifner's algorithm as Open MPI does it (`Halved`), the allgather back
/// through the same windows; any size, operations that commute. With fewer elements than ranks that remain, or another
/// operation: linear. p = 3; the vector in halves a, b:
///     0:a↔1:b | 1→0 b | 0:a↔2:b | 0:b↔2:a | 0→1
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script rabenseifner(Call call) {
  const Halved halved(call);
  if (rabenseifner_hands_over(call)) {
    co_yield basic_linear(call);
    co_return;
  }
  co_yield halved_fold(halved, output, scratch);
  if (halved.remains()) {
    co_yield halved_reduce_scatter(halved, output, scratch);
    const auto steps = halved.steps(halved.number());
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const int peer = halved.rank(step->peer);
      co_yield exchange(peer, step->kept.at(output), peer, step->given.at(output));
    }
  }
  if (!halved.paired()) co_return;
  const Slice all{output, call.bytes};
  co_yield halved.remains() ? send(call.self + 1, all) : recv(call.self - 1, all);
}

/// Stream of one rank in an allreduce of a long vector by Rabenseifner's algorithm, a reduce-scatter by recursive
/// halving and an allgather by recursive doubling; any size, any associative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get the result last. p = 6, r = 2; quarters of
/// the vector a, b, c, d, named with the rank that receives them:
///     fold 0→1 2→3 | 1:ab↔3:cd 4:ab↔5:cd | 1:a↔4:b 3:c↔5:d |
///     gather 1:b↔4:a 3:d↔5:c | 1:cd↔3:ab 4:cd↔5:ab | unfold 1→0 3→2
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script reduce_scatter_allgather(Call call) {
  const Fold fold(call.self, call.size);
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (fold.remains()) {
    const Blocks blocks = halved_blocks(call, fold.power());
    BlockRange own{0, blocks.count()};
    co_yield scatter_reduce(fold, blocks, &accumulator, &own);
    co_yield accumulator.place(output, blocks.range(accumulator.value(), own));
    for (int distance = fold.power() / 2; distance >= 1; distance /= 2) {
      const int peer = fold.rank(fold.number() ^ distance);
      co_yield exchange(peer, blocks.range(output, own), peer, blocks.range(output, own.sibling()));
      own = own.parent();
    }
  }
  co_yield fold_out(fold, {output, call.bytes});
}

}  // namespace orrery::collective::allreduce

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter by recursive halving; any size, commutative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get their block last. p = 6, r = 2; blocks a to
/// f of ranks 0 to 5, named with the rank that receives them:
///     fold 0→1 2→3 | 1:abcd↔4:ef 3:abcd↔5:ef | 1:ab↔3:cd 4:e↔5:f | unfold 1→0 a, 3→2 c
/// Cost, p a power of two: log2 p · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_halving(Call call) { co_yield halving_reduce_scatter(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::reduce_scatter

namespace orrery::collective::reduce_scatter_block {

/// Stream of one rank in a reduce-scatter of equal blocks by recursive halving; any size, commutative operation.
///
/// The r = p − 2^⌊log2 p⌋ surplus ranks fold into a neighbour first and get their block last. p = 6, r = 2; blocks a to
/// f of ranks 0 to 5, named with the rank that receives them:
///     fold 0→1 2→3 | 1:abcd↔4:ef 3:abcd↔5:ef | 1:ab↔3:cd 4:e↔5:f | unfold 1→0 a, 3→2 c
/// Cost, p a power of two: log2 p · α + (p − 1)/p · n(β + γ), n in bytes, all blocks.
/// Source: Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521
op::Script recursive_halving(Call call) {
  co_yield halving_reduce_scatter(call.self, Blocks::equal(call.bytes, call.size));
}

}  // namespace orrery::collective::reduce_scatter_block
