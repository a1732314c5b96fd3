// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/comm.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string_view>

#include "base/error.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/object/info.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

namespace {

/// Hints of communicators (MPI-4.1, sections 7.4.4 and 11.4.3): assertions that allow a library more than it makes use
/// of here. They are kept and told again; all others are ignored.
constexpr std::string_view known_comm_hints[] = {"mpi_assert_no_any_tag",         "mpi_assert_no_any_source",
                                                 "mpi_assert_exact_length",       "mpi_assert_allow_overtaking",
                                                 "mpi_assert_memory_alloc_kinds", "mpi_hw_resource_type"};

Comm* make_predefined(op::CommId id, std::vector<std::int32_t> world, int rank, const char* name) {
  auto* comm = make_comm(id, std::move(world), rank);
  comm->name = name;
  comm->predefined = true;
  return comm;
}

/// That of ranks that were started by others has only these.
Comm* make_world(Rank& rank) {
  const op::CommId id = rank.block().world_comm.load(std::memory_order_relaxed);
  const auto members = rank.memory().comm_members(id);
  std::vector<std::int32_t> world(members.begin(), members.end());
  const auto own = std::ranges::find(world, rank.world_rank()) - world.begin();
  return make_predefined(id, std::move(world), static_cast<int>(own), "MPI_COMM_WORLD");
}

Comm* make_self(Rank& rank) {
  const std::vector<std::int32_t> world{rank.world_rank()};
  return make_predefined(define_comm(world), world, 0, "MPI_COMM_SELF");
}

void tell_freed(const Comm& comm) {
  op::Operation operation;
  operation.kind = op::Kind::CommFree;
  operation.comm = comm.id;
  this_rank().push(operation);
}

/// A program may use a handle by mistake that it has freed through another one. So the last ones are kept for a while,
/// and known as freed.
void bury(Comm* comm) {
  constexpr std::size_t kept = 64;
  static std::deque<Comm*> buried;
  comm->freed = true;
  comm->group = comm->remote = comm->both = nullptr;
  buried.push_back(comm);
  if (buried.size() <= kept) return;
  delete buried.front();
  buried.pop_front();
}

void check_inter(const Comm& comm) {
  if (comm.is_inter()) return;
  throw Error{err_comm, concat(comm.name.empty() ? "the communicator" : comm.name,
                               " is an intra-communicator: it has no remote group")};
}

}  // namespace

Comm& comm_world() {
  auto& world = locals().world;
  if (world == nullptr) world = make_world(this_rank());
  return *world;
}

Comm& comm_self() {
  auto& self = locals().self;
  if (self == nullptr) self = make_self(this_rank());
  return *self;
}

void empty_comm_self() {
  if (Comm* self = locals().self; self != nullptr) delete_attributes(self->attributes, self->abi_handle);
}

op::CommId define_comm(const std::vector<std::int32_t>& world, std::size_t first_group) {
  auto& memory = this_rank().memory();
  const op::CommId id = memory.header().next_comm.fetch_add(1, std::memory_order_relaxed);
  try {
    memory.define_comm(id, world, first_group);
  } catch (const InputError& error) {
    throw Error{err_other, error.what()};
  }
  return id;
}

Comm* make_comm(op::CommId id, std::vector<std::int32_t> world, int rank) {
  auto* comm = new Comm;
  comm->id = id;
  comm->group = make_group(std::move(world));
  comm->rank = rank;
  return comm;
}

Comm* make_intercomm(op::CommId id, const std::vector<std::int32_t>& world, std::size_t first_group) {
  const auto second = world.begin() + static_cast<std::ptrdiff_t>(first_group);
  std::vector<std::int32_t> local(world.begin(), second);
  std::vector<std::int32_t> other(second, world.end());
  const auto self = this_rank().world_rank();
  if (std::ranges::find(local, self) == local.end()) std::swap(local, other);
  const auto rank = std::ranges::find(local, self) - local.begin();
  auto* comm = make_comm(id, std::move(local), static_cast<int>(rank));
  comm->remote = make_group(std::move(other));
  comm->both = make_group(world);
  return comm;
}

Comm* view_of(op::CommId id, const Comm* parent) {
  if (id == no_comm) return nullptr;
  auto& memory = this_rank().memory();
  const auto members = memory.comm_members(id);
  std::vector<std::int32_t> world(members.begin(), members.end());
  Comm* comm = nullptr;
  if (const auto first_group = memory.comm_first_group(id); first_group != 0) {
    comm = make_intercomm(id, world, first_group);
  } else {
    const auto rank = std::ranges::find(world, this_rank().world_rank()) - world.begin();
    comm = make_comm(id, std::move(world), static_cast<int>(rank));
  }
  if (parent != nullptr) comm->session_buffer = parent->session_buffer;
  if (parent != nullptr && parent->errhandler != nullptr) comm_set_errhandler(*comm, *parent->errhandler);
  return comm;
}

void retain(Comm& comm) { ++comm.references; }

void release(Comm& comm) {
  if (--comm.references > 0) return;
  if (comm.id != 0) tell_freed(comm);  // a duplicate that failed never got a number
  for (Group* group : {comm.group, comm.remote, comm.both}) {
    if (group != nullptr) release(*group);
  }
  if (comm.errhandler != nullptr) release(*comm.errhandler);
  delete comm.info;
  bury(&comm);
}

void comm_size(Comm& comm, int& size) { size = comm.size(); }

void comm_rank(Comm& comm, int& rank) { rank = comm.rank; }

void comm_group(Comm& comm, Group*& group) {
  group = comm.group;
  retain(*group);
}

void comm_compare(Comm& a, Comm& b, int& result) {
  if (&a == &b) {
    result = ident;
  } else if (a.is_inter() != b.is_inter()) {
    result = unequal;
  } else {
    // The values are in the order of how much the groups differ.
    const int groups = std::max(relation(*a.group, *b.group), relation(a.peers(), b.peers()));
    result = groups == ident ? congruent : groups;
  }
}

void comm_test_inter(Comm& comm, bool& flag) { flag = comm.is_inter(); }

void comm_remote_size(Comm& comm, int& size) {
  check_inter(comm);
  size = comm.remote->size();
}

void comm_remote_group(Comm& comm, Group*& group) {
  check_inter(comm);
  group = comm.remote;
  retain(*group);
}

void comm_set_name(Comm& comm, const char* name) {
  if (name == nullptr) throw Error{err_arg, "the name is a null pointer"};
  comm.name.assign(name, std::min(std::strlen(name), max_object_name - 1));
}

void comm_get_name(Comm* comm, char* name, int& length) {
  const std::string_view text = comm == nullptr ? "MPI_COMM_NULL" : std::string_view(comm->name);
  *std::ranges::copy(text, name).out = '\0';
  length = static_cast<int>(text.size());
}

void comm_set_info(Comm& comm, Info* info) { keep_known(comm.info, info, known_comm_hints); }

void comm_get_info(Comm& comm, Info*& info) {
  if (comm.info != nullptr) {
    info_dup(comm.info, info);
  } else {
    info_create(info);
  }
}

void comm_free(Comm*& comm) {
  if (comm->predefined) throw Error{err_comm, concat(comm->name, " cannot be freed")};
  delete_attributes(comm->attributes, comm->abi_handle);
  if (comm == locals().parent) locals().parent = nullptr;
  comm->freed = true;
  release(*comm);
  comm = nullptr;
}

void comm_disconnect(Comm*& comm) { comm_free(comm); }

}  // namespace orrery::mpi
