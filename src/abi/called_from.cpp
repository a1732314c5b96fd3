// SPDX-License-Identifier: BSD-3-Clause
#include "abi/called_from.hpp"

#include "mpi/rank/call.hpp"

void orrery_called_from(const void* address) { orrery::mpi::Call::called_from(address); }
