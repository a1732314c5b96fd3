// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collective/collective.hpp"
#include "op/script.hpp"

namespace orrery::collective {

/// With whom a number, of `power` ones, exchanges in a step; each other's partners.
using Partner = int (*)(int number, int step, int power);

/// Allreduce of whole vectors in log2 steps: the surplus ranks fold into a neighbour first and get the result last
/// (`Fold`), the others exchange with their partners, and combine. Operations that do not commute need partners whose
/// ranks, with those that they stand for, are all above or all below.
/// Cost, p a power of two: log2 p · (α + nβ + nγ), n in bytes.
[[nodiscard]] op::Script doubling_allreduce(Call call, Partner partner);

}  // namespace orrery::collective
