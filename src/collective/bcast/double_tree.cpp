// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/double_tree.hpp"
#include "collective/algorithms.hpp"
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
