// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto scan_listed = std::to_array<Algorithm>({
    {.kind = Scan,
     .name = "recursive_doubling",
     .stream = scan::recursive_doubling,
     .openmpi = "recursive_doubling",
     .libnbc = "recursive_doubling",
     .mpich = "recursive_doubling",
     .mpich_immediate = "sched_recursive_doubling tsp_recursive_doubling"},
    {.kind = Scan, .name = "linear", .stream = scan::linear, .openmpi = "linear", .libnbc = "linear"},
    {.kind = Scan,
     .name = "composition_alpha",
     .stream = scan::composition_alpha,
     .mpich = "composition_alpha",
     .mpich_immediate = "sched_smp",
     .topology = true,
     .hindrance = consecutive_nodes_hindrance},
});

}  // namespace

std::span<const Algorithm> scan() { return scan_listed; }

}  // namespace orrery::collective::registered
