// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/communicator/intercomm.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/rank/rank.hpp"

/// How ranks without a communicator of their own agree on the number of a new one.
namespace orrery::mpi {

namespace {

constexpr op::CommId first_beside = 1U << 30;  // beyond all numbers of communicators
constexpr op::CommId of_text = 1U << 29;
static_assert(of_text >= channel::max_comms);

/// A communicator that lives as long as an agreement; the group belongs to the caller.
Comm passing(op::CommId context, const Group& group) {
  Comm comm;
  comm.id = context;
  comm.group = const_cast<Group*>(&group);
  comm.rank = group.rank_of(this_rank().world_rank());
  return comm;
}

/// What the two leaders tell each other.
std::vector<std::int32_t> members_of_other(const std::vector<std::int32_t>& own, int other, int tag, Comm& comm) {
  std::int32_t count = static_cast<std::int32_t>(own.size());
  std::int32_t other_count = 0;
  sendrecv(&count, sizeof count, type_byte(), other, tag, &other_count, sizeof other_count, type_byte(), other, tag,
           comm, nullptr);
  std::vector<std::int32_t> theirs(static_cast<std::size_t>(other_count));
  const auto bytes = [](const auto& list) { return static_cast<std::int64_t>(list.size() * sizeof(std::int32_t)); };
  sendrecv(own.data(), bytes(own), type_byte(), other, tag, theirs.data(), bytes(theirs), type_byte(), other, tag, comm,
           nullptr);
  return theirs;
}

bool have_common(const Group& group, const std::vector<std::int32_t>& world) {
  return std::ranges::any_of(world, [&](std::int32_t rank) { return group.rank_of(rank) != undefined; });
}

}  // namespace

op::CommId beside(const Comm& comm) { return comm.id | first_beside; }

op::CommId beside(std::string_view string_tag) {
  std::uint32_t hash = 2166136261U;  // FNV-1a, the same in all processes
  for (const char letter : string_tag) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return first_beside | of_text | (hash ^ hash >> 29) % of_text;
}

op::CommId agreed_number(const Group& group, op::CommId context, int tag) {
  Comm comm = passing(context, group);
  op::CommId id = no_comm;
  if (comm.rank > 0) {
    send(nullptr, 0, type_byte(), 0, tag, comm);
    recv(&id, sizeof id, type_byte(), 0, tag, comm, nullptr);
    return id;
  }
  for (int member = 1; member < comm.size(); ++member) recv(nullptr, 0, type_byte(), member, tag, comm, nullptr);
  id = define_comm(group.world);
  for (int member = 1; member < comm.size(); ++member) send(&id, sizeof id, type_byte(), member, tag, comm);
  return id;
}

op::CommId agreed_number_of_leaders(const Group& own, const Group& between, int other, op::CommId context, int tag) {
  Comm comm = passing(context, between);
  const auto theirs = members_of_other(own.world, other, tag, comm);
  if (have_common(own, theirs)) throw Error{err_comm, "the two groups have members in common"};
  op::CommId id = no_comm;
  // One of the two defines it, and its group is the first.
  if (this_rank().world_rank() > comm.world(other)) {
    recv(&id, sizeof id, type_byte(), other, tag, comm, nullptr);
    return id;
  }
  std::vector<std::int32_t> world = own.world;
  world.insert(world.end(), theirs.begin(), theirs.end());
  id = define_comm(world, own.world.size());
  send(&id, sizeof id, type_byte(), other, tag, comm);
  return id;
}

}  // namespace orrery::mpi
