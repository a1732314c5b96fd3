// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto allgatherv_listed = std::to_array<Algorithm>({
    {.kind = Allgatherv,
     .name = "bruck",
     .stream = allgatherv::bruck,
     .radix = true,
     .openmpi = "bruck",
     .mpich = "brucks",
     .mpich_immediate = "sched_brucks tsp_brucks",
     .source = bruck_1997},
    {.kind = Allgatherv,
     .name = "ring",
     .stream = allgatherv::ring,
     .openmpi = "ring",
     .mpich_immediate = "tsp_ring",
     .source = thakur_2005},
    {.kind = Allgatherv,
     .name = "pipelined_ring",
     .stream = allgatherv::pipelined_ring,
     .segments = true,
     .mpich = "ring",
     .mpich_immediate = "sched_ring"},
    {.kind = Allgatherv,
     .name = "recursive_doubling",
     .stream = allgatherv::recursive_doubling,
     .power_of_two_only = true,
     .mpich = "recursive_doubling",
     .mpich_immediate = "sched_recursive_doubling",
     .source = thakur_2005},
    {.kind = Allgatherv, .name = "linear", .stream = allgatherv::linear},
    {.kind = Allgatherv, .name = "linear_even_empty", .stream = allgatherv::linear_even_empty, .libnbc = "linear"},
    {.kind = Allgatherv,
     .name = "remote_gather_local_bcast",
     .stream = allgatherv::remote_gather_local_bcast,
     .inter = true,
     .mpich = "remote_gather_local_bcast"},
    {.kind = Allgatherv,
     .name = "neighbor_exchange",
     .stream = allgatherv::neighbor_exchange,
     .even_only = true,
     .openmpi = "neighbor",
     .otherwise = "ring",
     .source = chen_2005},
    {.kind = Allgatherv, .name = "gather_bcast", .stream = allgatherv::gather_bcast, .openmpi = "default"},
    {.kind = Allgatherv, .name = "two_proc", .stream = allgatherv::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Allgatherv, .name = "sparbit", .stream = allgatherv::sparbit, .openmpi = "sparbit", .source = loch_2021},
    {.kind = Allgatherv,
     .name = "recexch_doubling",
     .stream = allgatherv::recexch_doubling,
     .radix = true,
     .mpich_immediate = "tsp_recexch_doubling"},
    {.kind = Allgatherv,
     .name = "recexch_halving",
     .stream = allgatherv::recexch_halving,
     .radix = true,
     .mpich_immediate = "tsp_recexch_halving"},
});

}  // namespace

std::span<const Algorithm> allgatherv() { return allgatherv_listed; }

}  // namespace orrery::collective::registered
