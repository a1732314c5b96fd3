// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/pipeline.hpp"
#include "collective/parts/segment.hpp"

namespace orrery::collective::reduce {

/// Stream of one rank in a reduction along chains that end at the root, in segments; any size and root,
/// operations that commute. `fanout` chains, 4 if it is 0.
///
/// Each rank combines a segment with those of its children and hands it on while the next arrives.
/// Cost: that of the broadcast along the same tree, and nγ per child.
/// Source: Pješivac-Grbović et al. 2007, doi:10.1007/s10586-007-0012-0
op::Script chain(Call call) {
  const FromRoot ranks{call.size, call.root};
  const Region home = call.self == call.root ? output : scratch + call.bytes * 2;
  co_yield tree_reduce(chains(call.self, ranks, call.fanout > 0 ? call.fanout : 4), segments_of(call), home, scratch);
}

}  // namespace orrery::collective::reduce
