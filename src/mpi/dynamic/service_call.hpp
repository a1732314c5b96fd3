// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "mpi/channel/service.hpp"

namespace orrery::mpi {

/// What the run said to a request.
struct ServiceAnswer {
  std::int32_t number = 0;  ///< what a spawn made
  std::string text;
};

/// Asks the run, in the order of simulated time. @throws Error of `error_class`, as the run says
ServiceAnswer ask_service(channel::ServiceKind kind, const std::vector<std::string>& words, int error_class,
                          op::CommId comm = 0);

}  // namespace orrery::mpi
