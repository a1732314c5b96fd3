// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto neighbor_alltoall_listed = std::to_array<Algorithm>({
    {.kind = NeighborAlltoall,
     .name = "linear",
     .stream = neighbor_alltoall::linear,
     .libnbc = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
    {.kind = NeighborAlltoallv,
     .name = "linear",
     .stream = neighbor_alltoall::linear,
     .libnbc = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
    {.kind = NeighborAlltoallw,
     .name = "linear",
     .stream = neighbor_alltoall::linear,
     .libnbc = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
});

}  // namespace

std::span<const Algorithm> neighbor_alltoall() { return neighbor_alltoall_listed; }

}  // namespace orrery::collective::registered
