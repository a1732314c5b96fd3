// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "mpi/types.hpp"

/// Generalized requests (MPI-4.1, section 13.2): operations of the program that complete when it says so.
namespace orrery::mpi {

/// What the program gives to one; each returns an error code.
struct GeneralizedCalls {
  std::function<int(Status&)> query;  ///< what is its status? Called when it is complete, for each time it is asked
  std::function<int()> free;          ///< it is gone: called once
  std::function<int(bool)> cancel;    ///< the program wants to cancel it; told whether it is complete
};

void grequest_start(GeneralizedCalls calls, Request*& request);
void grequest_complete(Request* request);

}  // namespace orrery::mpi
