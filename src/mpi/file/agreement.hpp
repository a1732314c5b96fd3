// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// What ranks bring to a collective routine of files, and how it went.
struct Agreed {
  std::int32_t error_class = 0;
  std::int32_t comm = 0;   ///< number of the communicator that a new file gets
  std::int64_t value = 0;  ///< must be the same on all ranks
  char text[240] = {};     ///< of the error; cut where it is longer

  [[nodiscard]] static Agreed failed(const Error& error);
};

/// Carries out a collective routine of files: once all ranks have come, and if none has an error and all have the same
/// `value`, the first one acts for all. All have the same outcome, that of the lowest rank that failed.
///
/// In the simulation it costs an allreduce of a number.
/// @param act called by rank 0; may throw Error   @throws Error the one of all ranks
Agreed agree(Comm& comm, std::int64_t value, const std::optional<Error>& own_error,
             const std::function<void(Agreed&)>& act);
/// Agrees that no rank failed, where there is nothing else to do.
void agree(Comm& comm, const std::optional<Error>& own_error);

/// What `body` throws.
[[nodiscard]] std::optional<Error> error_in(const std::function<void()>& body);

}  // namespace orrery::mpi
