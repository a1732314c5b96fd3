// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The MPI library that a rank loads, without its binary interface: every routine MPI_Xxx_yyy that exists is a function
/// `orrery::mpi::xxx_yyy`. This is the face of the room towards the bindings (room abi).
///
/// A message's way: `point_to_point` makes an operation for the kernel (`Rank::push`) and posts the bytes into the
/// receiver's inbox (`payload`); there `progress` finds them, `matching` pairs them with a receive, and `request`
/// completes it. `types.hpp` says how arguments are passed, `call.hpp` what surrounds each call.
#include "mpi/attributes.hpp"
#include "mpi/buffered.hpp"
#include "mpi/call.hpp"
#include "mpi/clock.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/neighbor.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/dynamic.hpp"
#include "mpi/environment.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/error_codes.hpp"
#include "mpi/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/generalized.hpp"
#include "mpi/group.hpp"
#include "mpi/hardware.hpp"
#include "mpi/info.hpp"
#include "mpi/intercomm.hpp"
#include "mpi/partitioned.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/probe.hpp"
#include "mpi/rank.hpp"
#include "mpi/reduction.hpp"
#include "mpi/request.hpp"
#include "mpi/sendrecv.hpp"
#include "mpi/session.hpp"
#include "mpi/topology/topology.hpp"
#include "mpi/types.hpp"
#include "mpi/window/window.hpp"
