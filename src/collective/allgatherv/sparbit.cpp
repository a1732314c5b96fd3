// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/sparbit.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of unequal blocks by parallel binomial trees (`sparbit_allgather`); any size.
/// Source: Loch, Koslovski 2021, doi:10.48550/arXiv.2109.08751
op::Script sparbit(Call call) { co_yield sparbit_allgather(call.self, Blocks::listed(call.counts)); }

}  // namespace orrery::collective::allgatherv
