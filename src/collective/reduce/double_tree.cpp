// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/double_tree.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/team.hpp"

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
