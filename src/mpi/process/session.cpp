// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/session.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/communicator/intercomm.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/process_sets.hpp"

namespace orrery::mpi {

namespace {

const char* name_of_level(int level) {
  switch (level) {
    case thread_single: return "MPI_THREAD_SINGLE";
    case thread_funneled: return "MPI_THREAD_FUNNELED";
    case thread_serialized: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

/// The level that the program asks for in `info`. @throws Error when there is none of this name
int level_in(const Info* info) {
  const auto* asked = info == nullptr ? nullptr : info->find("thread_level");
  if (asked == nullptr) return thread_single;
  for (const int level : {thread_single, thread_funneled, thread_serialized, thread_multiple}) {
    if (*asked == name_of_level(level)) return level;
  }
  throw Error{err_info_value, concat("thread_level is ", *asked, ", which is no level of threads")};
}

}  // namespace

void session_init(Info* info, Errhandler& errhandler, Session*& session) {
  enter_session(level_in(info));
  auto made = std::make_unique<Session>();
  if (info != nullptr) info_dup(info, made->info);
  made->buffer = std::make_shared<AttachedBuffer>();
  session_set_errhandler(*made, errhandler);
  session = made.release();
}

void session_finalize(Session*& session) {
  release(*session->errhandler);
  delete session->info;
  delete session;
  session = nullptr;
  leave_session();
}

void session_get_info(Session& session, Info*& info) {
  if (session.info != nullptr) {
    info_dup(session.info, info);
  } else {
    info_create(info);
  }
  info_set(info, "thread_level", name_of_level(process().thread_level));
}

void session_get_num_psets(Session&, Info*, int& count) { count = static_cast<int>(own_process_sets().size()); }

void session_get_nth_pset(Session&, Info*, int n, int& length, char* name) {
  const auto names = own_process_sets();
  if (n < 0 || n >= static_cast<int>(names.size())) {
    throw Error{err_arg, concat("n is ", n, ", but there are ", names.size(), " process sets")};
  }
  const std::string_view text = names[static_cast<std::size_t>(n)];
  const auto needed = static_cast<int>(text.size()) + 1;
  if (length > 0) {
    if (name == nullptr) throw Error{err_arg, "pset_name is a null pointer"};
    *std::ranges::copy(text.substr(0, static_cast<std::size_t>(length - 1)), name).out = '\0';
  }
  length = needed;
}

void session_get_pset_info(Session&, const char* name, Info*& info) {
  const ProcessSet set = process_set(name);
  info_create(info);
  info_set(info, "mpi_size", std::to_string(set.world.size()).c_str());
  for (const auto& [key, value] : set.about) info_set(info, key.c_str(), value.c_str());
}

void group_from_session_pset(Session& session, const char* name, Group*& group) {
  group = make_group(process_set(name).world);
  group->session_buffer = session.buffer;
}

void comm_create_from_group(Group& group, const char* string_tag, Info* info, Errhandler& errhandler, Comm*& comm) {
  if (string_tag == nullptr) throw Error{err_arg, "the tag is a null pointer"};
  if (group.size() == 0) return;
  if (group.rank_of(this_rank().world_rank()) == undefined) {
    throw Error{err_group, "the calling rank is not in the group"};
  }
  comm = view_of(agreed_number(group, beside(string_tag), 0), nullptr);
  comm->session_buffer = comm->group->session_buffer = group.session_buffer;
  comm_set_errhandler(*comm, errhandler);
  if (info != nullptr) comm_set_info(*comm, info);
}

void session_attach_buffer(Session& session, void* buffer, std::int64_t size) { session.buffer->attach(buffer, size); }

void session_detach_buffer(Session& session, void* buffer_address, std::int64_t& size) {
  session.buffer->detach(buffer_address, size);
}

void session_flush_buffer(Session& session) { session.buffer->flush(); }

void session_iflush_buffer(Session& session, Request*& request) { session.buffer->iflush(request); }

void session_create_errhandler(void (*function)(), Errhandler*& errhandler) {
  comm_create_errhandler(function, errhandler);
}

void session_set_errhandler(Session& session, Errhandler& errhandler) {
  retain(errhandler);
  if (session.errhandler != nullptr) release(*session.errhandler);
  session.errhandler = &errhandler;
}

void session_get_errhandler(Session& session, Errhandler*& errhandler) {
  errhandler = session.errhandler;
  retain(*errhandler);
}

void session_call_errhandler(Session& session, int code) {
  static_cast<void>(deal_with(*session.errhandler, session.abi_handle, {code, "raised by the program"},
                              "MPI_Session_call_errhandler"));
}

}  // namespace orrery::mpi
