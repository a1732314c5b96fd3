// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/create.hpp"

#include "base/error.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {

namespace {

template <class Kind>
const Kind& topology_of(const Comm& comm, const char* what) {
  const auto* kind = comm.topology == nullptr ? nullptr : std::get_if<Kind>(&comm.topology->kind);
  if (kind == nullptr) throw Error{err_topology, concat("the communicator has no ", what, " topology")};
  return *kind;
}

}  // namespace

Comm* comm_of_first(Comm& comm, int size) {
  Group* group = group_empty();
  const auto first = comm.group->world.begin();
  if (size > 0) group = make_group({first, first + size});
  Comm* created = nullptr;
  comm_create(comm, *group, created);
  if (size > 0) release(*group);
  return created;
}

const Cartesian& cartesian_of(const Comm& comm) { return topology_of<Cartesian>(comm, "Cartesian"); }

const Graph& graph_of(const Comm& comm) { return topology_of<Graph>(comm, "graph"); }

const DistGraph& dist_graph_of(const Comm& comm) { return topology_of<DistGraph>(comm, "distributed graph"); }

void set_topology(Comm& comm, Topology topology) {
  comm.topology = std::make_shared<const Topology>(std::move(topology));
}

void topo_test(Comm& comm, int& status) {
  constexpr int kinds[] = {topology_cart, topology_graph, topology_dist_graph};
  status = comm.topology == nullptr ? undefined : kinds[comm.topology->kind.index()];
}

}  // namespace orrery::mpi
