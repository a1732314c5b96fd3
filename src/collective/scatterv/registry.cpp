// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto scatterv_listed = std::to_array<Algorithm>({
    {.kind = Scatterv,
     .name = "linear",
     .stream = scatterv::linear,
     .mpich = "linear",
     .mpich_immediate = "sched_linear tsp_linear"},
    {.kind = Scatterv, .name = "linear_even_empty", .stream = scatterv::linear_even_empty, .libnbc = "linear"},
    {.kind = Scatterv, .name = "basic_linear", .stream = scatterv::basic_linear, .openmpi = "linear"},
    {.kind = Scatterv, .name = "inter_linear", .stream = scatterv::inter_linear, .inter = true, .mpich = "linear"},
});

}  // namespace

std::span<const Algorithm> scatterv() { return scatterv_listed; }

}  // namespace orrery::collective::registered
