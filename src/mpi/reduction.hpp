// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// A reduction operation, predefined or the user's.
struct Op;

[[nodiscard]] bool is_commutative(const Op& op);
/// inout[i] = in[i] op inout[i] for `count` elements; `in` is the operand of the lower rank (MPI-4.1, section 6.9.1).
/// @throws Error (MPI_ERR_OP) when a predefined operation is not defined for the type
void apply(Op& op, const void* in, void* inout, std::int64_t count, Datatype& type);
/// Throws as `apply` would, without data: called before anything is sent.
void check_op(const Op& op, const Datatype& type);
void retain(Op& op);
void release(Op& op);
/// The predefined operation of a handle value of the standard ABI (0x20 <= value < 0x40); null if there is none.
[[nodiscard]] Op* predefined_op(std::uint32_t abi_value);

}  // namespace orrery::mpi
