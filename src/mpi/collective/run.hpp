// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "mpi/collective/exchange.hpp"
#include "mpi/request.hpp"

namespace orrery::mpi {

/// Carries out a blocking call. @throws Error as the exchange says
void run(Exchange& exchange);
/// Starts an immediate call.
[[nodiscard]] Request* launch(std::shared_ptr<Exchange> exchange);
/// Prepares a persistent call, which must be `Repeatable`. Hints change nothing.
[[nodiscard]] Request* prepare(std::shared_ptr<Exchange> exchange);

/// @throws Error when it is negative
void check_count(std::int64_t count);
/// @throws Error when it is not a rank of `comm`
void check_root(int root, const Comm& comm);
/// @throws Error when a buffer that must not be MPI_IN_PLACE is
void check_not_in_place(const void* buffer);

}  // namespace orrery::mpi
