// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along a binary tree, in segments; any size and root, operations that
/// commute.
///
/// Each rank combines a segment with those of its children and hands it on while the next arrives.
/// Cost: that of the broadcast along the same tree, and nγ per child.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script binary(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(binary_tree(call.self, ranks), segments_of(call), home, scratch);
}

}  // namespace orrery::collective::reduce
