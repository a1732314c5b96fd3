// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "mpi/point_to_point/buffered.hpp"
#include "mpi/types.hpp"

/// Sessions (MPI-4.1, section 11.3): MPI without MPI_COMM_WORLD. A process becomes a rank of the run with the first of
/// MPI_Init and MPI_Session_init, and is one until it ends if it has had a session: it may make another at any time.
namespace orrery::mpi {

struct Session {
  Errhandler* errhandler = nullptr;
  Info* info = nullptr;
  std::shared_ptr<AttachedBuffer> buffer;  ///< for buffered sends on its communicators
  void* abi_handle = nullptr;              ///< in the binary interface that the program uses, for callbacks
};

void session_init(Info* info, Errhandler& errhandler, Session*& session);
void session_finalize(Session*& session);
/// Hints that are in use, and the level of thread support.
void session_get_info(Session& session, Info*& info);

// --- process sets that this rank is in (process_sets.hpp)
// -----------------------------------------------------------------------------------------------------------
void session_get_num_psets(Session& session, Info* info, int& count);
/// @param length room at `name`, and then what the name needs, with its terminating zero; 0: only asks for that
void session_get_nth_pset(Session& session, Info* info, int n, int& length, char* name);
/// "mpi_size", and what else is known of the set, which may be one that this rank is not in.
void session_get_pset_info(Session& session, const char* name, Info*& info);
void group_from_session_pset(Session& session, const char* name, Group*& group);

/// Collective over `group`, whose members have nothing but `string_tag` to find each other.
void comm_create_from_group(Group& group, const char* string_tag, Info* info, Errhandler& errhandler, Comm*& comm);

// --- buffers of buffered sends
// -----------------------------------------------------------------------------------------------------------
void session_attach_buffer(Session& session, void* buffer, std::int64_t size);
void session_detach_buffer(Session& session, void* buffer_address, std::int64_t& size);
void session_flush_buffer(Session& session);
void session_iflush_buffer(Session& session, Request*& request);

// --- error handlers
// -----------------------------------------------------------------------------------------------------------
void session_create_errhandler(void (*function)(), Errhandler*& errhandler);
void session_set_errhandler(Session& session, Errhandler& errhandler);
void session_get_errhandler(Session& session, Errhandler*& errhandler);
void session_call_errhandler(Session& session, int code);

}  // namespace orrery::mpi
