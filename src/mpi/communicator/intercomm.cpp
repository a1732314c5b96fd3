// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/intercomm.hpp"

#include "base/error.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/communicator/leader.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/point_to_point/checks.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

namespace {

void check_leader(const char* argument, int leader, const Group& group) {
  if (leader >= 0 && leader < group.size()) return;
  throw Error{err_rank, concat(argument, " is ", leader, ", but its group has ", group.size(), " ranks")};
}

}  // namespace

std::size_t first_group_size(const Comm& comm) {
  if (!comm.is_inter()) return 0;
  const bool own_is_first = comm.both->world.front() == comm.group->world.front();
  return static_cast<std::size_t>(own_is_first ? comm.group->size() : comm.remote->size());
}

void intercomm_create(Comm& local_comm, int local_leader, Comm* peer_comm, int remote_leader, int tag, Comm*& created) {
  check_intra(local_comm);
  check_leader("local_leader", local_leader, *local_comm.group);
  check_send_tag(tag);
  const auto find = [&] {
    if (peer_comm == nullptr) throw Error{err_comm, "peer_comm is a null handle of type MPI_Comm"};
    check_leader("remote_leader", remote_leader, peer_comm->peers());
    return agreed_number_of_leaders(*local_comm.group, peer_comm->peers(), remote_leader, beside(*peer_comm), tag);
  };
  created = view_of(found_by_leader(local_comm, local_leader, err_comm, find), &local_comm);
}

void intercomm_create_from_groups(Group& local_group, int local_leader, Group& remote_group, int remote_leader,
                                  const char* string_tag, Info* info, Errhandler& errhandler, Comm*& created) {
  if (string_tag == nullptr) throw Error{err_arg, "the tag is a null pointer"};
  check_leader("local_leader", local_leader, local_group);
  check_leader("remote_leader", remote_leader, remote_group);
  constexpr int within = 0;
  constexpr int across = 1;
  const auto context = beside(string_tag);
  const int self = local_group.rank_of(this_rank().world_rank());
  if (self == undefined) throw Error{err_group, "the calling rank is not in local_group"};
  Comm local;
  local.id = context;
  local.group = &local_group;
  local.rank = self;
  op::CommId id = no_comm;
  if (self == local_leader) {
    // Everybody of the own group must have come, as the call is collective.
    for (int member = 0; member < local.size(); ++member) {
      if (member != self) recv(nullptr, 0, type_byte(), member, within, local, nullptr);
    }
    id = agreed_number_of_leaders(local_group, remote_group, remote_leader, context, across);
    for (int member = 0; member < local.size(); ++member) {
      if (member != self) send(&id, sizeof id, type_byte(), member, within, local);
    }
  } else {
    send(nullptr, 0, type_byte(), local_leader, within, local);
    recv(&id, sizeof id, type_byte(), local_leader, within, local, nullptr);
  }
  created = view_of(id, nullptr);
  created->session_buffer = local_group.session_buffer;
  comm_set_errhandler(*created, errhandler);
  if (info != nullptr) comm_set_info(*created, info);
}

}  // namespace orrery::mpi
