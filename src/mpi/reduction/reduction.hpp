// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// A reduction operation, predefined or the user's; reference-counted like datatypes.
struct Op;

[[nodiscard]] bool is_commutative(const Op& op);
[[nodiscard]] bool is_predefined(const Op& op);
/// inout[i] = in[i] op inout[i] for `count` elements; `in` is the operand of the lower rank (MPI-4.1, section 6.9.1).
/// The buffers may not overlap.
/// @throws Error (MPI_ERR_OP) when a predefined operation is not defined for the type
void apply(Op& op, const void* in, void* inout, std::int64_t count, Datatype& type);
/// For reductions: throws as `apply` would, without data, and for MPI_REPLACE and MPI_NO_OP, which are for one-sided
/// communication only. Called before anything is sent.
void check_op(const Op& op, const Datatype& type);
/// For one-sided accumulation: the operation must be predefined, and the type made of one predefined type
/// (MPI-4.1, section 12.3.4).
void check_accumulate_op(const Op& op, const Datatype& type);
/// target = packed op target, elementwise: `packed` is the packed form of `count` elements. Checked as above.
void accumulate(Op& op, const std::byte* packed, void* target, std::int64_t count, Datatype& type);
void retain(Op& op);
void release(Op& op);
/// The predefined operation of a handle value of the standard ABI (0x20 <= value < 0x40); null if there is none.
[[nodiscard]] Op* predefined_op(std::uint32_t abi_value);

/// What a user's function does, whatever its language: inout = in op inout.
using Combine = std::function<void(const void* in, void* inout, std::int64_t count, Datatype& type)>;
/// For bindings whose functions are not called like C's.
void op_create_from(Combine combine, bool commutative, Op*& op);

/// `function`: void (void* in, void* inout, int* length, MPI_Datatype* type); it is handed the address of
/// abi_handle(type). More than INT_MAX elements come in several calls.
void op_create(void (*function)(), bool commutative, Op*& op);
/// Its `function` takes MPI_Count* length.
void op_create_c(void (*function)(), bool commutative, Op*& op);
void op_free(Op*& op);
void op_commutative(const Op& op, bool& commutative);
void reduce_local(const void* in, void* inout, std::int64_t count, Datatype& type, Op& op);

}  // namespace orrery::mpi
