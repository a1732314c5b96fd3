// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto allgather_listed = std::to_array<Algorithm>({
    {.kind = Allgather,
     .name = "recursive_doubling",
     .stream = allgather::recursive_doubling,
     .power_of_two_only = true,
     .openmpi = "recursive_doubling",
     .libnbc = "recursive_doubling",
     .mpich = "recursive_doubling",
     .mpich_immediate = "sched_recursive_doubling",
     .otherwise = "bruck",
     .source = thakur_2005},
    {.kind = Allgather,
     .name = "bruck",
     .stream = allgather::bruck,
     .radix = true,
     .openmpi = "bruck",
     .mpich = "brucks k_brucks",
     .mpich_immediate = "sched_brucks tsp_brucks",
     .source = bruck_1997},
    {.kind = Allgather,
     .name = "ring",
     .stream = allgather::ring,
     .openmpi = "ring",
     .mpich = "ring",
     .mpich_immediate = "sched_ring tsp_ring",
     .source = thakur_2005},
    {.kind = Allgather,
     .name = "neighbor_exchange",
     .stream = allgather::neighbor_exchange,
     .even_only = true,
     .openmpi = "neighbor",
     .otherwise = "ring",
     .source = chen_2005},
    {.kind = Allgather,
     .name = "local_gather_remote_bcast",
     .stream = allgather::local_gather_remote_bcast,
     .inter = true,
     .mpich = "local_gather_remote_bcast"},
    {.kind = Allgather, .name = "gather_bcast", .stream = allgather::gather_bcast, .openmpi = "linear"},
    {.kind = Allgather, .name = "two_proc", .stream = allgather::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Allgather, .name = "sparbit", .stream = allgather::sparbit, .openmpi = "sparbit", .source = loch_2021},
    {.kind = Allgather,
     .name = "linear_by_rank",
     .stream = allgather::linear_by_rank,
     .libnbc = "linear",
     .source = hoefler_2007},
    {.kind = Allgather,
     .name = "recexch_doubling",
     .stream = allgather::recexch_doubling,
     .radix = true,
     .mpich = "recexch_doubling",
     .mpich_immediate = "tsp_recexch_doubling"},
    {.kind = Allgather,
     .name = "recexch_halving",
     .stream = allgather::recexch_halving,
     .radix = true,
     .mpich = "recexch_halving",
     .mpich_immediate = "tsp_recexch_halving"},
    {.kind = Allgather,
     .name = "hierarchical",
     .stream = allgather::hierarchical,
     .segments = true,
     .source = coti_2008,
     .topology = true,
     .serves = groups_serve},
    {.kind = Allgather, .name = "han", .stream = allgather::han, .topology = true, .serves = balanced_nodes_serve},
    {.kind = Allgather,
     .name = "han_unbalanced",
     .stream = han_unbalanced,
     .topology = true,
     .serves = unbalanced_nodes_serve},
    {.kind = Allgather, .name = "bine", .stream = allgather::bine, .power_of_two_only = true, .source = bine_2025},
});

}  // namespace

std::span<const Algorithm> allgather() { return allgather_listed; }

}  // namespace orrery::collective::registered
