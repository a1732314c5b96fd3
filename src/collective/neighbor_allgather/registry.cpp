// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto neighbor_allgather_listed = std::to_array<Algorithm>({
    {.kind = NeighborAllgather,
     .name = "linear",
     .stream = neighbor_allgather::linear,
     .libnbc = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
    {.kind = NeighborAllgatherv,
     .name = "linear",
     .stream = neighbor_allgather::linear,
     .libnbc = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
});

}  // namespace

std::span<const Algorithm> neighbor_allgather() { return neighbor_allgather_listed; }

}  // namespace orrery::collective::registered
