// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

/// Checks of arguments of point-to-point calls. Each throws `Error` naming the argument and its value.
namespace orrery::mpi {

void check_buffer(const void* buffer, std::int64_t count, const Datatype& type);  ///< also count and datatype
void check_dest(int dest, const Comm& comm);                                      ///< a rank or PROC_NULL
void check_source(int source, const Comm& comm);                                  ///< a rank, ANY_SOURCE or PROC_NULL
void check_send_tag(int tag);
void check_recv_tag(int tag);  ///< also ANY_TAG

}  // namespace orrery::mpi
