// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto reduce_scatter_block_listed = std::to_array<Algorithm>({
    {.kind = ReduceScatterBlock,
     .name = "recursive_halving",
     .stream = reduce_scatter_block::recursive_halving,
     .commutative_only = true,
     .openmpi = "recursive_halving",
     .mpich = "recursive_halving",
     .mpich_immediate = "sched_recursive_halving",
     .source = thakur_2005},
    {.kind = ReduceScatterBlock,
     .name = "pairwise",
     .stream = reduce_scatter_block::pairwise,
     .commutative_only = true,
     .mpich = "pairwise",
     .mpich_immediate = "sched_pairwise",
     .source = thakur_2005},
    {.kind = ReduceScatterBlock,
     .name = "reduce_scatterv",
     .stream = reduce_scatter_block::reduce_scatterv,
     .libnbc = "binomial_linear"},
    {.kind = ReduceScatterBlock,
     .name = "recursive_doubling",
     .stream = reduce_scatter_block::recursive_doubling,
     .openmpi = "recursive_doubling",
     .mpich = "recursive_doubling",
     .mpich_immediate = "sched_recursive_doubling",
     .source = thakur_2005},
    {.kind = ReduceScatterBlock,
     .name = "butterfly",
     .stream = reduce_scatter_block::butterfly,
     .openmpi = "butterfly",
     .source = traeff_2005},
    {.kind = ReduceScatterBlock,
     .name = "noncommutative",
     .stream = reduce_scatter_block::noncommutative,
     .power_of_two_only = true,
     .mpich = "noncommutative",
     .mpich_immediate = "sched_noncommutative",
     .source = traeff_2005},
    {.kind = ReduceScatterBlock,
     .name = "recexch",
     .stream = reduce_scatter_block::recexch,
     .commutative_only = true,
     .radix = true,
     .mpich_immediate = "tsp_recexch"},
    {.kind = ReduceScatterBlock,
     .name = "basic_linear",
     .stream = reduce_scatter_block::basic_linear,
     .openmpi = "basic_linear"},
    {.kind = ReduceScatterBlock,
     .name = "remote_reduce_local_scatter",
     .stream = reduce_scatter_block::remote_reduce_local_scatter,
     .inter = true,
     .mpich = "remote_reduce_local_scatter"},
    {.kind = ReduceScatterBlock,
     .name = "circulant",
     .stream = reduce_scatter_block::circulant,
     .commutative_only = true,
     .source = traeff_2024},
    {.kind = ReduceScatterBlock,
     .name = "bine",
     .stream = reduce_scatter_block::bine,
     .power_of_two_only = true,
     .commutative_only = true,
     .source = bine_2025},
});

}  // namespace

std::span<const Algorithm> reduce_scatter_block() { return reduce_scatter_block_listed; }

}  // namespace orrery::collective::registered
