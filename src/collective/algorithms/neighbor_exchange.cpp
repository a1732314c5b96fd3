// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/neighbor_exchange.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::allgather {

/// Stream of one rank in an allgather by neighbour exchange (`neighbor_exchange_allgather`); the size must be even.
/// Source: Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75
op::Script neighbor_exchange(Call call) {
  co_yield neighbor_exchange_allgather(call.self, Blocks::equal(call.bytes, call.size));
}

}  // namespace orrery::collective::allgather

namespace orrery::collective::allgatherv {

/// Stream of one rank in an allgather of blocks of any sizes by neighbour exchange (`neighbor_exchange_allgather`); the
/// size must be even.
/// Source: Chen, Zhang, Zhang, Yuan 2005, doi:10.1109/HPCASIA.2005.75
op::Script neighbor_exchange(Call call) {
  co_yield neighbor_exchange_allgather(call.self,
                                       Blocks::listed(call.counts.first(static_cast<std::size_t>(call.size))));
}

}  // namespace orrery::collective::allgatherv
