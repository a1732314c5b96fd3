// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/channel/channel.hpp"

namespace orrery::mpi {

/// Makes a run of one rank out of a process that nobody has started as one (MPI-4.1, section 11.2.1, calls it a
/// singleton): its memory, and a thread that is the kernel, from a library of its own (launch/alone.cpp).
/// @throws InputError when that library is not where this one is
[[nodiscard]] channel::Memory* begin_alone();

}  // namespace orrery::mpi
