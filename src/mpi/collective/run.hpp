// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "mpi/collective/exchange.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {

/// Carries out a blocking call. @throws Error as the exchange says
void run(Exchange& exchange);
/// Starts an immediate call.
[[nodiscard]] Request* launch(std::shared_ptr<Exchange> exchange);
/// Prepares a persistent call, which must be `Repeatable`. Hints change nothing.
[[nodiscard]] Request* prepare(std::shared_ptr<Exchange> exchange);

/// @throws Error when it is negative
void check_count(std::int64_t count);
/// @throws Error when it is not a rank of `comm`; of an inter-communicator, of the other group, or MPI_ROOT or
/// MPI_PROC_NULL
void check_root(int root, const Comm& comm);
/// Whether this rank is the root.
[[nodiscard]] bool is_root(int root, const Comm& comm);
/// Whether this rank is one of those between whom and the root data moves: not so in the root's group of an
/// inter-communicator.
[[nodiscard]] bool faces_root(int root, const Comm& comm);
/// @throws Error when a buffer that must not be MPI_IN_PLACE is
void check_not_in_place(const void* buffer);
/// @throws Error when a buffer is MPI_IN_PLACE on an inter-communicator
void check_in_place(const void* buffer, const Comm& comm);
/// @throws Error when a rank's data are the memory that they would be received into: MPI_IN_PLACE says that
void check_not_aliased(const Data& send, const Data& recv);
/// @throws Error when it is an inter-communicator
void check_intra(const Comm& comm);

}  // namespace orrery::mpi
