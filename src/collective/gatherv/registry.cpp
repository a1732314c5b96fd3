// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto gatherv_listed = std::to_array<Algorithm>({
    {.kind = Gatherv,
     .name = "linear",
     .stream = gatherv::linear,
     .mpich = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
    {.kind = Gatherv, .name = "linear_even_empty", .stream = gatherv::linear_even_empty, .libnbc = "linear"},
    {.kind = Gatherv, .name = "basic_linear", .stream = gatherv::basic_linear, .openmpi = "linear"},
    {.kind = Gatherv, .name = "inter_linear", .stream = gatherv::inter_linear, .inter = true, .mpich = "linear"},
});

}  // namespace

std::span<const Algorithm> gatherv() { return gatherv_listed; }

}  // namespace orrery::collective::registered
