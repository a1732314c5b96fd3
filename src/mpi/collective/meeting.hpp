// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// Whether the data plane of a blocking allreduce fits on the communicator's board.
///
/// On the board (channel::Board) a rank leaves its operand, the last to come reduces all of them, in the order of the
/// ranks, and wakes the others at once: no message, and one system call wakes all. Operations of
/// the user are left out: the last to come is another one in each run, and what it runs would be seen.
[[nodiscard]] bool fits_on_board(const Op& op, std::int64_t count, const Datatype& type);

/// The data plane of such a call. @param recv may hold one's operand: `send` == `recv`
/// @throws Error when the members do not agree on the size
void reduce_on_board(const void* send, void* recv, std::int64_t count, Datatype& type, Op& op, Comm& comm);

}  // namespace orrery::mpi
