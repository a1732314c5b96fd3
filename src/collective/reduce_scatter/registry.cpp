// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto reduce_scatter_listed = std::to_array<Algorithm>({
    {.kind = ReduceScatter,
     .name = "recursive_halving",
     .stream = reduce_scatter::recursive_halving,
     .commutative_only = true,
     .openmpi = "recursive_halving",
     .mpich = "recursive_halving",
     .mpich_immediate = "sched_recursive_halving",
     .source = thakur_2005},
    {.kind = ReduceScatter,
     .name = "pairwise",
     .stream = reduce_scatter::pairwise,
     .commutative_only = true,
     .mpich = "pairwise",
     .mpich_immediate = "sched_pairwise",
     .source = thakur_2005},
    {.kind = ReduceScatter,
     .name = "recursive_doubling",
     .stream = reduce_scatter::recursive_doubling,
     .mpich = "recursive_doubling",
     .mpich_immediate = "sched_recursive_doubling",
     .source = thakur_2005},
    {.kind = ReduceScatter,
     .name = "noncommutative",
     .stream = reduce_scatter::noncommutative,
     .power_of_two_only = true,
     .equal_blocks_only = true,
     .mpich = "noncommutative",
     .mpich_immediate = "sched_noncommutative",
     .source = traeff_2005},
    {.kind = ReduceScatter,
     .name = "recexch",
     .stream = reduce_scatter::recexch,
     .commutative_only = true,
     .radix = true,
     .mpich_immediate = "tsp_recexch"},
    {.kind = ReduceScatter,
     .name = "reduce_scatterv",
     .stream = reduce_scatter::reduce_scatterv,
     .libnbc = "binomial_linear"},
    {.kind = ReduceScatter,
     .name = "ring",
     .stream = reduce_scatter::ring,
     .commutative_only = true,
     .openmpi = "ring"},
    {.kind = ReduceScatter,
     .name = "butterfly",
     .stream = reduce_scatter::butterfly,
     .openmpi = "butterfly",
     .source = traeff_2005},
    {.kind = ReduceScatter,
     .name = "nonoverlapping",
     .stream = reduce_scatter::nonoverlapping,
     .openmpi = "non-overlapping"},
    {.kind = ReduceScatter,
     .name = "remote_reduce_local_scatter",
     .stream = reduce_scatter::remote_reduce_local_scatter,
     .inter = true,
     .mpich = "remote_reduce_local_scatter"},
    {.kind = ReduceScatter,
     .name = "circulant",
     .stream = reduce_scatter::circulant,
     .commutative_only = true,
     .source = traeff_2024},
});

}  // namespace

std::span<const Algorithm> reduce_scatter() { return reduce_scatter_listed; }

}  // namespace orrery::collective::registered
