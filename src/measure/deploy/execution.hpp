// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "deploy.hpp"
#include "prepared.hpp"

namespace orrery::deploy {

/// Where the data of a call are, and how they are reduced.
struct Data {
  const char* input = nullptr;
  char* output = nullptr;
  MPI_Datatype type = MPI_BYTE;  ///< of reductions
  std::int64_t element = 1;      ///< its bytes
  MPI_Op op = MPI_OP_NULL;
};

/// Carries out the operations of one rank by messages on `comm`; MPI's result.
///
/// Messages of one call overtake none of the call before: each is waited for by both of its ranks in the same order.
[[nodiscard]] int execute(const Prepared& prepared, const Data& data, MPI_Comm comm);

}  // namespace orrery::deploy
