// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/topology/topology.hpp"

namespace orrery::mpi {

/// A communicator of the first `size` ranks of `comm`, which are all that have one, without attributes.
/// @throws Error when there are not so many
[[nodiscard]] Comm* comm_of_first(Comm& comm, int size);

/// The topology of `comm`. @throws Error when it has another one or none
[[nodiscard]] const Cartesian& cartesian_of(const Comm& comm);
[[nodiscard]] const Graph& graph_of(const Comm& comm);
[[nodiscard]] const DistGraph& dist_graph_of(const Comm& comm);

void set_topology(Comm& comm, Topology topology);

/// Copies as much as the program has room for.
void copy_some(const std::vector<int>& values, int room, int* to);

}  // namespace orrery::mpi
