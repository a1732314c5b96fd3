// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/butterfly.hpp"

#include "collective/algorithms.hpp"

namespace orrery::collective::reduce_scatter {

/// Stream of one rank in a reduce-scatter on a butterfly (`butterfly_reduce_scatter`); any size, any associative
/// operation.
/// Source: Träff 2005, doi:10.1007/11557265_20
op::Script butterfly(Call call) {
  co_yield butterfly_reduce_scatter(call.self, Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size))));
}

}  // namespace orrery::collective::reduce_scatter
