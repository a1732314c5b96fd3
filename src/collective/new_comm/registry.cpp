// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto new_comm_listed = std::to_array<Algorithm>({
    {.kind = NewComm, .name = "number", .stream = new_comm::number},
    {.kind = NewComm, .name = "three_rounds", .stream = new_comm::three_rounds, .libnbc = "three_rounds"},
    {.kind = NewComm, .name = "mask", .stream = new_comm::mask, .mpich = "mask", .mpich_immediate = "mask"},
    {.kind = NewComm, .name = "inter_number", .stream = new_comm::inter_number, .inter = true},
});

}  // namespace

std::span<const Algorithm> new_comm() { return new_comm_listed; }

}  // namespace orrery::collective::registered
