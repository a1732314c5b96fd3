// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/pipeline.hpp"
#include "collective/algorithms.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along one chain of all ranks that ends at the root, in segments; any
/// size and root, operations that commute.
///
/// Each rank combines a segment with those of its children and hands it on while the next arrives.
/// Cost: that of the broadcast along the same tree, and nγ per child.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script pipeline(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(chains(call.self, ranks, 1), segments_of(call), home, scratch);
}

}  // namespace orrery::collective::reduce
