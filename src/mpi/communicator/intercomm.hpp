// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "mpi/communicator/comm.hpp"

/// Inter-communicators (MPI-4.1, section 7.6), and how ranks agree on communicators that are not made out of one that
/// all of them have.
namespace orrery::mpi {

/// `peer_comm` and `remote_leader` matter at the leader only; elsewhere pass null.
void intercomm_create(Comm& local_comm, int local_leader, Comm* peer_comm, int remote_leader, int tag, Comm*& created);
void intercomm_create_from_groups(Group& local_group, int local_leader, Group& remote_group, int remote_leader,
                                  const char* string_tag, Info* info, Errhandler& errhandler, Comm*& created);
void intercomm_merge(Comm& comm, bool high, Comm*& merged);

/// How many ranks of `everyone` are the first group of an inter-communicator; 0: it is none.
[[nodiscard]] std::size_t first_group_size(const Comm& comm);

// --- agreement by messages
// -----------------------------------------------------------------------------------------------------------
// They travel in communicators of their own, where no receive of the program's can take them.

/// Beside a communicator that the ranks share.
[[nodiscard]] op::CommId beside(const Comm& comm);
/// Where ranks share nothing but a text.
[[nodiscard]] op::CommId beside(std::string_view string_tag);

/// All members of a group report to the first, which defines a communicator of them and tells them its number.
[[nodiscard]] op::CommId agreed_number(const Group& group, op::CommId context, int tag);

/// The leaders of two groups, `self` and `other` among `between`, define an inter-communicator of them.
/// @throws Error when the groups have members in common; on both sides
[[nodiscard]] op::CommId agreed_number_of_leaders(const Group& own, const Group& between, int other, op::CommId context,
                                                  int tag);

}  // namespace orrery::mpi
