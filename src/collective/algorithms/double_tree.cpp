// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/parts/double_tree.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective::bcast {

/// Stream of one rank in a broadcast whose halves go down two binary trees at once (`DoubleTree`), in segments; any
/// size and root.
/// Cost, s segments in a half: about (2 log2 p + s) · 2(α + n/2s · β), n in bytes.
/// Source: Sanders, Speck, Träff 2009, doi:10.1016/j.parco.2009.09.001
op::Script double_tree(Call call) {
  const DoubleTree trees(call, call.root);
  co_yield overlap(trees.bcast(0), trees.bcast(1), {});
}

}  // namespace orrery::collective::bcast

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction whose halves go up two binary trees at once (`DoubleTree`), in segments; any size
/// and root, commutative operation.
/// Cost, s segments in a half: about (2 log2 p + s) · 2(α + n/2s · (β + γ)), n in bytes.
/// Source: Sanders, Speck, Träff 2009, doi:10.1016/j.parco.2009.09.001
op::Script double_tree(Call call) {
  const DoubleTree trees(call, call.root);
  const Region home = call.self == call.root ? output : scratch;
  const Region spare = scratch + call.bytes;
  co_yield overlap(trees.reduce(0, home, spare), trees.reduce(1, home, spare), {});
}

}  // namespace orrery::collective::reduce

namespace orrery::collective::allreduce {

/// Stream of one rank in an allreduce whose halves go up two binary trees at once and down again (`DoubleTree`), in
/// segments; any size, commutative operation.
/// Cost, s segments in a half: about (4 log2 p + 2s) · 2(α + n/2s · β) and a γ for each byte that comes up.
/// Source: Sanders, Speck, Träff 2009, doi:10.1016/j.parco.2009.09.001
op::Script double_tree(Call call) {
  constexpr int root = 0;
  const DoubleTree trees(call, root);
  const Region home = call.self == root ? output : scratch;
  const Region spare = scratch + call.bytes;
  op::Script first = both(trees.reduce(0, home, spare), trees.bcast(0));
  op::Script second = both(trees.reduce(1, home, spare), trees.bcast(1));
  co_yield overlap(std::move(first), std::move(second), {});
}

}  // namespace orrery::collective::allreduce
