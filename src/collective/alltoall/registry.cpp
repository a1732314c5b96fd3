// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto alltoall_listed = std::to_array<Algorithm>({
    {.kind = Alltoall,
     .name = "bruck",
     .stream = alltoall::bruck,
     .radix = true,
     .openmpi = "modified_bruck",
     .mpich = "brucks k_brucks",
     .mpich_immediate = "sched_brucks tsp_brucks",
     .source = bruck_1997},
    {.kind = Alltoall, .name = "linear", .stream = alltoall::linear, .openmpi = "linear", .source = thakur_2005},
    {.kind = Alltoall, .name = "pairwise", .stream = alltoall::pairwise, .openmpi = "pairwise", .source = thakur_2005},
    {.kind = Alltoall,
     .name = "scattered",
     .stream = alltoall::scattered,
     .mpich = "scattered",
     .mpich_immediate = "sched_permuted_sendrecv",
     .source = thakur_2005},
    {.kind = Alltoall, .name = "windowed", .stream = alltoall::windowed, .mpich_immediate = "tsp_scattered"},
    {.kind = Alltoall,
     .name = "in_turn",
     .stream = alltoall::in_turn,
     .mpich = "pairwise_sendrecv_replace",
     .mpich_immediate = "sched_inplace"},
    {.kind = Alltoall, .name = "both_neighbors", .stream = alltoall::both_neighbors},
    {.kind = Alltoall, .name = "there_and_back", .stream = alltoall::there_and_back},
    {.kind = Alltoall,
     .name = "pairwise_xor",
     .stream = alltoall::pairwise_xor,
     .mpich = "pairwise",
     .mpich_immediate = "sched_pairwise",
     .source = thakur_2005},
    {.kind = Alltoall, .name = "ring", .stream = alltoall::ring, .mpich_immediate = "tsp_ring"},
    {.kind = Alltoall,
     .name = "pairwise_exchange",
     .stream = alltoall::pairwise_exchange,
     .inter = true,
     .mpich = "pairwise_exchange"},
    {.kind = Alltoall, .name = "linear_sync", .stream = alltoall::linear_sync, .openmpi = "linear_sync"},
    {.kind = Alltoall, .name = "two_proc", .stream = alltoall::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Alltoall,
     .name = "linear_by_rank",
     .stream = alltoall::linear_by_rank,
     .libnbc = "linear",
     .source = hoefler_2007},
    {.kind = Alltoall,
     .name = "hierarchical",
     .stream = alltoall::hierarchical,
     .segments = true,
     .source = coti_2008,
     .topology = true,
     .hindrance = groups_hindrance},
});

}  // namespace

std::span<const Algorithm> alltoall() { return alltoall_listed; }

}  // namespace orrery::collective::registered
