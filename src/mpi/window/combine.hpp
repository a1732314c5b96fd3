// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/datatype/datatype.hpp"
#include "mpi/reduction/kernel.hpp"

namespace orrery::mpi {

/// target = operand op target, elementwise, both packed: arrays of `element`, a predefined type, without padding.
/// The arrays are aligned as their numbers are. @pre check_accumulate_op
void combine_packed(Operation operation, Datatype& element, const std::byte* operand, std::byte* target,
                    std::int64_t bytes);

}  // namespace orrery::mpi
