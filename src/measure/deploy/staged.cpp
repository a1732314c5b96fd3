// SPDX-License-Identifier: BSD-3-Clause
#include "staged.hpp"

#include <algorithm>

#include "session.hpp"

namespace orrery::deploy {
namespace {

using enum CollectiveKind;

std::int64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::int64_t>(count) * size;
}

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

/// From and to bytes without gaps. By a message to itself, as MPI_Pack of MPICH refuses MPI_BOTTOM.
void pack(const void* from, MPI_Count count, MPI_Datatype type, std::vector<char>& into) {
  PMPI_Sendrecv(from, static_cast<int>(count), type, 0, 0, into.data(), static_cast<int>(into.size()), MPI_PACKED, 0, 0,
                session()->alone, MPI_STATUS_IGNORE);
}
void unpack(const std::vector<char>& from, void* into, MPI_Count count, MPI_Datatype type) {
  PMPI_Sendrecv(from.data(), static_cast<int>(from.size()), MPI_PACKED, 0, 0, into, static_cast<int>(count), type, 0, 0,
                session()->alone, MPI_STATUS_IGNORE);
}

/// How many blocks a rank gives.
std::int64_t given_blocks(CollectiveKind kind, int size, bool at_root) {
  switch (kind) {
    case Reduce:
    case Allreduce:
    case Gather:
    case Allgather: return 1;
    case Scatter: return at_root ? size : 0;
    case Alltoall: return size;
    default: return 0;
  }
}

std::int64_t got_blocks(CollectiveKind kind, int size, bool at_root) {
  switch (kind) {
    case Bcast:
    case Allreduce:
    case Scatter: return 1;
    case Reduce: return at_root ? 1 : 0;
    case Gather: return at_root ? size : 0;
    case Allgather:
    case Alltoall: return size;
    default: return 0;
  }
}

}  // namespace

std::int64_t plain_size(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0, size = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) return 0;
  PMPI_Type_size(type, &size);
  return extent_of(type) == size ? size : 0;
}

std::int64_t shared_bytes(const Arguments& arguments, bool at_root) {
  switch (arguments.kind) {
    case Barrier: return 0;
    case Reduce:
    case Allreduce: return bytes_of(arguments.give_count, arguments.give_type);
    case Gather:
      if (!at_root) return bytes_of(arguments.give_count, arguments.give_type);
      break;
    case Scatter:
      if (at_root) return bytes_of(arguments.give_count, arguments.give_type);
      break;
    default: break;
  }
  return bytes_of(arguments.get_count, arguments.get_type);
}

std::int64_t most_blocks(CollectiveKind kind, int size) {
  return std::max<std::int64_t>({1, given_blocks(kind, size, true), got_blocks(kind, size, true)});
}

Staged::Staged(const Arguments& arguments, int self, int size, std::int64_t bytes)
    : arguments_(arguments),
      self_(self),
      bytes_(bytes),
      in_blocks_(given_blocks(arguments.kind, size, self == arguments.root)),
      out_blocks_(got_blocks(arguments.kind, size, self == arguments.root)),
      at_root_(self == arguments.root) {
  if (bytes_ == 0) return;
  stage_input();
  stage_output();
}

void Staged::stage_input() {
  if (in_blocks_ == 0) return;
  const Arguments& a = arguments_;
  const bool by_block = a.kind == Gather || a.kind == Allgather || a.kind == Alltoall || a.kind == Scatter;
  if (a.give != MPI_IN_PLACE) {
    if (plain_size(a.give_type) > 0) {
      input_ = static_cast<const char*>(a.give);
    } else {
      copy_input(static_cast<const char*>(a.give), a.give_count * (by_block ? in_blocks_ : 1), a.give_type);
    }
    return;
  }
  // What is given lies where what comes is to be, and algorithms may read it after they have written there.
  const char* from = static_cast<const char*>(a.get);
  if (a.kind == Gather || a.kind == Allgather)
    from += static_cast<MPI_Aint>(self_) * static_cast<MPI_Aint>(a.get_count) * extent_of(a.get_type);
  copy_input(from, a.get_count * (by_block ? in_blocks_ : 1), a.get_type);
}

void Staged::copy_input(const char* from, MPI_Count count, MPI_Datatype type) {
  given_.resize(static_cast<std::size_t>(in_blocks_ * bytes_));
  input_ = given_.data();
  if (plain_size(type) > 0) {
    std::copy_n(from, given_.size(), given_.begin());
    return;
  }
  pack(from, count, type, given_);
}

void Staged::stage_output() {
  if (out_blocks_ == 0) return;
  const Arguments& a = arguments_;
  const bool dropped = a.get == MPI_IN_PLACE;  // the root of a scatter keeps its own block where it is
  if (!dropped && plain_size(a.get_type) > 0) {
    output_ = static_cast<char*>(a.get);
    return;
  }
  got_.resize(static_cast<std::size_t>(out_blocks_ * bytes_));
  output_ = got_.data();
  unpacks_ = !dropped && !(a.kind == Bcast && at_root_);
  if (a.kind != Bcast || !at_root_) return;
  pack(a.get, a.get_count, a.get_type, got_);
}

void Staged::deliver() {
  if (!unpacks_) return;
  const Arguments& a = arguments_;
  const bool by_block = a.kind == Gather || a.kind == Allgather || a.kind == Alltoall;
  unpack(got_, a.get, a.get_count * (by_block ? out_blocks_ : 1), a.get_type);
}

}  // namespace orrery::deploy
