// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "mpi/communicator/comm.hpp"

namespace orrery::mpi {

/// What `find` gives at the leader, which runs it alone; the others of `comm` are told. Collective.
/// @throws Error at the leader its own, at the others of `error_class`
[[nodiscard]] op::CommId found_by_leader(Comm& comm, int leader, int error_class,
                                         const std::function<op::CommId()>& find);

}  // namespace orrery::mpi
