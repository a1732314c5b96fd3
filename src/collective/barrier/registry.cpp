// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto barrier_listed = std::to_array<Algorithm>({
    {.kind = Barrier,
     .name = "dissemination",
     .stream = barrier::dissemination,
     .openmpi = "bruck",
     .libnbc = "dissemination",
     .mpich = "dissemination",
     .mpich_immediate = "sched_recursive_doubling",
     .source = hensgen_1988},
    {.kind = Barrier,
     .name = "recursive_doubling",
     .stream = barrier::recursive_doubling,
     .openmpi = "recursive_doubling"},
    {.kind = Barrier, .name = "linear", .stream = barrier::linear, .openmpi = "linear"},
    {.kind = Barrier, .name = "inter_bcast", .stream = barrier::inter_bcast, .inter = true, .mpich = "bcast"},
    {.kind = Barrier, .name = "double_ring", .stream = barrier::double_ring, .openmpi = "double_ring"},
    {.kind = Barrier, .name = "tree", .stream = barrier::tree, .openmpi = "tree"},
    {.kind = Barrier, .name = "two_proc", .stream = barrier::two_proc, .two_only = true, .openmpi = "two_proc"},
    {.kind = Barrier,
     .name = "k_dissemination",
     .stream = barrier::k_dissemination,
     .radix = true,
     .mpich = "k_dissemination",
     .mpich_immediate = "tsp_k_dissemination"},
    {.kind = Barrier,
     .name = "recexch",
     .stream = barrier::recexch,
     .radix = true,
     .mpich = "recexch",
     .mpich_immediate = "tsp_recexch"},
    {.kind = Barrier,
     .name = "hierarchical",
     .stream = barrier::hierarchical,
     .source = coti_2008,
     .topology = true,
     .hindrance = groups_hindrance},
    {.kind = Barrier, .name = "han", .stream = barrier::han, .topology = true, .hindrance = several_nodes_hindrance},
    {.kind = Barrier,
     .name = "composition_alpha",
     .stream = barrier::composition_alpha,
     .mpich = "composition_alpha",
     .topology = true,
     .hindrance = nodes_hindrance},
});

}  // namespace

std::span<const Algorithm> barrier() { return barrier_listed; }

}  // namespace orrery::collective::registered
