// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto gather_listed = std::to_array<Algorithm>({
    {.kind = Gather,
     .name = "binomial",
     .stream = gather::binomial,
     .openmpi = "binomial",
     .mpich = "binomial",
     .mpich_immediate = "sched_binomial"},
    {.kind = Gather, .name = "linear", .stream = gather::linear},
    {.kind = Gather, .name = "linear_even_empty", .stream = gather::linear_even_empty, .libnbc = "linear"},
    {.kind = Gather, .name = "basic_linear", .stream = gather::basic_linear, .openmpi = "basic_linear"},
    {.kind = Gather, .name = "inter_linear", .stream = gather::inter_linear, .inter = true, .mpich = "linear"},
    {.kind = Gather,
     .name = "local_gather_remote_send",
     .stream = gather::local_gather_remote_send,
     .inter = true,
     .mpich = "local_gather_remote_send"},
    {.kind = Gather, .name = "linear_sync", .stream = gather::linear_sync, .segments = true, .openmpi = "linear_sync"},
    {.kind = Gather,
     .name = "contiguous_knomial",
     .stream = gather::contiguous_knomial,
     .radix = true,
     .mpich_immediate = "tsp_tree"},
    {.kind = Gather,
     .name = "hierarchical",
     .stream = gather::hierarchical,
     .segments = true,
     .source = coti_2008,
     .topology = true,
     .hindrance = groups_hindrance},
    {.kind = Gather, .name = "han", .stream = gather::han, .topology = true, .hindrance = balanced_nodes_hindrance},
    {.kind = Gather,
     .name = "han_unbalanced",
     .stream = han_unbalanced,
     .topology = true,
     .hindrance = unbalanced_nodes_hindrance},
});

}  // namespace

std::span<const Algorithm> gather() { return gather_listed; }

}  // namespace orrery::collective::registered
