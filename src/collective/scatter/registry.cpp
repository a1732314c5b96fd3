// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto scatter_listed = std::to_array<Algorithm>({
    {.kind = Scatter,
     .name = "binomial",
     .stream = scatter::binomial,
     .openmpi = "binomial",
     .mpich = "binomial",
     .mpich_immediate = "sched_binomial",
     .source = thakur_2005},
    {.kind = Scatter, .name = "linear", .stream = scatter::linear, .openmpi = "linear_nb"},
    {.kind = Scatter, .name = "linear_even_empty", .stream = scatter::linear_even_empty, .libnbc = "linear"},
    {.kind = Scatter,
     .name = "contiguous_knomial",
     .stream = scatter::contiguous_knomial,
     .radix = true,
     .mpich_immediate = "tsp_tree"},
    {.kind = Scatter, .name = "basic_linear", .stream = scatter::basic_linear, .openmpi = "basic_linear"},
    {.kind = Scatter, .name = "inter_linear", .stream = scatter::inter_linear, .inter = true, .mpich = "linear"},
    {.kind = Scatter,
     .name = "remote_send_local_scatter",
     .stream = scatter::remote_send_local_scatter,
     .inter = true,
     .mpich = "remote_send_local_scatter"},
    {.kind = Scatter,
     .name = "hierarchical",
     .stream = scatter::hierarchical,
     .segments = true,
     .source = coti_2008,
     .topology = true,
     .hindrance = groups_hindrance},
    {.kind = Scatter, .name = "han", .stream = scatter::han, .topology = true, .hindrance = balanced_nodes_hindrance},
    {.kind = Scatter,
     .name = "han_unbalanced",
     .stream = han_unbalanced,
     .topology = true,
     .hindrance = unbalanced_nodes_hindrance},
});

}  // namespace

std::span<const Algorithm> scatter() { return scatter_listed; }

}  // namespace orrery::collective::registered
