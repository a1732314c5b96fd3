// SPDX-License-Identifier: BSD-3-Clause
#include "collective/call_of.hpp"

#include <algorithm>

namespace orrery::collective {

std::optional<OwnCall> call_of(const op::Operation& operation, std::span<const std::int32_t> members,
                               std::size_t first_group, std::int32_t world_rank) {
  const auto rank = static_cast<std::size_t>(world_rank);
  const bool in_place = rank < members.size() && members[rank] == world_rank;  // as in MPI_COMM_WORLD
  const auto self = in_place ? members.begin() + world_rank : std::find(members.begin(), members.end(), world_rank);
  if (self == members.end()) return {};
  const auto position = static_cast<std::size_t>(self - members.begin());
  const bool in_second = first_group != 0 && position >= first_group;
  OwnCall own;
  own.first_member = in_second ? first_group : 0;
  Call& call = own.call;
  call.kind = operation.collective;
  call.self = static_cast<int>(position - own.first_member);
  call.size = static_cast<int>(members.size());
  if (first_group != 0) {
    call.size = static_cast<int>(in_second ? members.size() - first_group : first_group);
    call.remote_size = static_cast<int>(members.size()) - call.size;
    call.in_first = !in_second;
  }
  call.root = operation.peer;
  call.bytes = operation.bytes;
  call.element = std::max<std::int64_t>(1, operation.element);
  call.extent = operation.extent;
  call.commutative = operation.has(op::Commutative);
  call.built_in = !operation.has(op::UserDefined);
  call.in_place = operation.has(op::InPlace);
  call.immediate = !operation.has(op::Blocking);
  call.counts = operation.counts;
  return own;
}

}  // namespace orrery::collective
