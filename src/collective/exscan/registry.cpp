// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto exscan_listed = std::to_array<Algorithm>({
    {.kind = Exscan,
     .name = "recursive_doubling",
     .stream = exscan::recursive_doubling,
     .openmpi = "recursive_doubling",
     .libnbc = "recursive_doubling",
     .mpich = "recursive_doubling",
     .mpich_immediate = "sched_recursive_doubling"},
    {.kind = Exscan, .name = "linear", .stream = exscan::linear, .openmpi = "linear"},
    {.kind = Exscan, .name = "linear_even_empty", .stream = exscan::linear_even_empty, .libnbc = "linear"},
});

}  // namespace

std::span<const Algorithm> exscan() { return exscan_listed; }

}  // namespace orrery::collective::registered
