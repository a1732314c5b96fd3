// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The MPI library that a rank loads, without its binary interface: every routine MPI_Xxx_yyy that exists is a function
/// `orrery::mpi::xxx_yyy`. This is the face of the room towards the bindings (room abi).
///
/// A message's way: `point_to_point` makes an operation for the kernel (`Rank::push`) and posts the bytes into the
/// receiver's inbox (`payload`); there `progress` finds them, `matching` pairs them with a receive, and `request`
/// completes it. `types.hpp` says how arguments are passed, `rank/call.hpp` what surrounds each call.
///
/// Folders, each with one idea:
///
///     rank, process        state and progress of a rank; how a process becomes one, and ends
///     channel              the memory that ranks and kernel share
///     clock                clocks, sleeps and waits in simulated time; measured computation
///     communicator         groups, communicators, inter-communicators
///     point_to_point, partitioned, request    messages, and what is under way
///     collective, reduction, topology         calls of all ranks of a communicator; operations; neighbours
///     datatype, object     types; attributes and info, which objects have in common
///     window, file         one-sided communication; files
///     dynamic              spawned processes, ports
///     extension            what programs may ask beyond MPI: orrery.h
///     heap                 large allocations that all ranks share, in a library of its own
///     error, tool          error classes, codes and handlers; the tool interface
#include "mpi/clock/clock.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/neighbor.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/communicator/hardware.hpp"
#include "mpi/communicator/intercomm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/dynamic/dynamic.hpp"
#include "mpi/error/codes.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"
#include "mpi/object/attributes.hpp"
#include "mpi/object/info.hpp"
#include "mpi/partitioned/partitioned.hpp"
#include "mpi/point_to_point/buffered.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/point_to_point/probe.hpp"
#include "mpi/point_to_point/sendrecv.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/process/session.hpp"
#include "mpi/rank/call.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/reduction/reduction.hpp"
#include "mpi/request/generalized.hpp"
#include "mpi/request/request.hpp"
#include "mpi/topology/topology.hpp"
#include "mpi/types.hpp"
#include "mpi/window/window.hpp"
