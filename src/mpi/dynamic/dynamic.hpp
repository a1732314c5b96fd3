// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "mpi/types.hpp"

/// Processes that are started during a run, and ranks without a communicator in common that meet (MPI-4.1, sections
/// 11.7 to 11.9). The new ranks are ranks of the same run, on hosts after those used; see docs/design/spawn.md.
namespace orrery::mpi {

/// One of the programs of a spawn; it matters at the root only.
struct SpawnedProgram {
  const char* command = nullptr;
  char** arguments = nullptr;  ///< null: none
  int ranks = 0;
  Info* info = nullptr;  ///< "wdir" and "path" are obeyed
};

void comm_spawn(const char* command, char** arguments, int ranks, Info* info, int root, Comm& comm, Comm*& intercomm,
                int* codes);
/// @param codes one per rank, all of success, or null
void comm_spawn_multiple(const std::vector<SpawnedProgram>& programs, int root, Comm& comm, Comm*& intercomm,
                         int* codes);
/// Null in ranks that were there from the beginning, and once it has been freed.
void comm_get_parent(Comm*& parent);

// --- ports
// -----------------------------------------------------------------------------------------------------------
void open_port(Info* info, char* name);  ///< room for MPI_MAX_PORT_NAME
void close_port(const char* name);
void comm_accept(const char* port, Info* info, int root, Comm& comm, Comm*& created);
void comm_connect(const char* port, Info* info, int root, Comm& comm, Comm*& created);
/// With the process at the other end of a socket.
void comm_join(int descriptor, Comm*& intercomm);

// --- names of ports
// -----------------------------------------------------------------------------------------------------------
void publish_name(const char* service, Info* info, const char* port);
void unpublish_name(const char* service, Info* info, const char* port);
void lookup_name(const char* service, Info* info, char* port);

}  // namespace orrery::mpi
