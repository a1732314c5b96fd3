// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi/communicator/group.hpp"
#include "mpi/object/attributes.hpp"
#include "mpi/partitioned/partitioned.hpp"
#include "mpi/point_to_point/buffered.hpp"
#include "mpi/types.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

struct Topology;

/// Numbers of the collective calls on a communicator, the same on all members since MPI requires their order.
///
/// Blocking calls are numbered apart from the others. MPI wants one order of both (MPI-4.1, section 6.12), but real
/// libraries give them tags of their own, so that programs which mix them up run there; so they do here.
class CallNumbers {
 public:
  [[nodiscard]] std::int32_t next_blocking() {
    return static_cast<std::int32_t>(next_blocking_++ & (not_blocking - 1));
  }
  /// Number of an immediate call, or of one that persistent requests start.
  [[nodiscard]] std::int32_t next_other() {
    return static_cast<std::int32_t>((next_other_++ & (not_blocking - 1)) | not_blocking);
  }

 private:
  static constexpr std::uint32_t not_blocking = 1U << 30;

  std::uint32_t next_blocking_ = 0;
  std::uint32_t next_other_ = 0;
};

/// A communicator as one rank sees it.
struct Comm {
  op::CommId id = 0;
  Group* group = nullptr;
  int rank = 0;             ///< own rank in `group`
  Group* remote = nullptr;  ///< the other group of an inter-communicator; null: this is none
  Group* both = nullptr;    ///< of an inter-communicator: its two groups one after the other, the same on all members
  std::string name;
  Errhandler* errhandler = nullptr;  ///< null: MPI_ERRORS_ARE_FATAL
  Attributes attributes;
  AttachedBuffer buffer;                           ///< of buffered sends
  std::shared_ptr<AttachedBuffer> session_buffer;  ///< of the session that it comes from, if it comes from one
  CallNumbers collective_calls;
  int references = 1;  ///< the handle, and each active request
  Info* info = nullptr;
  std::shared_ptr<const Topology> topology;  ///< null: none
  std::uint32_t openmpi_flags = 0;           ///< looked for here: abi/openmpi/language.cpp
  void* abi_handle = nullptr;                ///< in the binary interface that the program uses, for callbacks
  bool freed = false;                        ///< the program has given up its handle
  bool predefined = false;                   ///< MPI_COMM_WORLD and MPI_COMM_SELF cannot be freed
  PartitionedPairs partitioned;

  [[nodiscard]] int size() const { return group->size(); }
  [[nodiscard]] std::int32_t world(int comm_rank) const { return group->world[static_cast<std::size_t>(comm_rank)]; }
  [[nodiscard]] bool is_inter() const { return remote != nullptr; }
  /// Whom ranks in calls mean, and statuses: the other group of an inter-communicator.
  [[nodiscard]] const Group& peers() const { return remote != nullptr ? *remote : *group; }
  [[nodiscard]] std::int32_t peer(int rank_of_peer) const {
    return peers().world[static_cast<std::size_t>(rank_of_peer)];
  }
  /// All members, which agree on their order.
  [[nodiscard]] const Group& everyone() const { return both != nullptr ? *both : *group; }
};

void retain(Comm& comm);
/// Gives up one reference. With the last one the kernel is told that this rank no longer uses the communicator.
void release(Comm& comm);

/// MPI_COMM_WORLD and MPI_COMM_SELF of this rank, made when first asked for.
[[nodiscard]] Comm& comm_world();
[[nodiscard]] Comm& comm_self();
/// For MPI_Finalize: deletes the attributes of MPI_COMM_SELF (MPI-4.1, section 11.2.4).
void empty_comm_self();

/// Takes a number for a new communicator and tells the kernel and its members, which are these world ranks.
/// @param first_group of an inter-communicator, how many of them are the first group; 0: it is none
/// @throws Error when there are more communicators than a run can hold
[[nodiscard]] op::CommId define_comm(const std::vector<std::int32_t>& world, std::size_t first_group = 0);
/// Collective: a communicator of the same members for the library's own use, without attributes and hints.
[[nodiscard]] Comm* hidden_dup(Comm& comm);
/// This rank's view of the communicator `id`, whose members are `world`; the caller has the one reference to it.
[[nodiscard]] Comm* make_comm(op::CommId id, std::vector<std::int32_t> world, int rank);
/// This rank's view of an inter-communicator that need not be defined yet.
[[nodiscard]] Comm* make_intercomm(op::CommId id, const std::vector<std::int32_t>& world, std::size_t first_group);
/// This rank's view of a communicator that is defined, of either sort, with its errors handled as those of `parent`
/// are (null: by default); null if `id` is `no_comm`.
[[nodiscard]] Comm* view_of(op::CommId id, const Comm* parent);
inline constexpr op::CommId no_comm = 0;  ///< the number of MPI_COMM_WORLD, which is never new

// --- questions (MPI-4.1, section 7.4.1)
// -------------------------------------------------------------------------------
void comm_size(Comm& comm, int& size);
void comm_rank(Comm& comm, int& rank);
void comm_group(Comm& comm, Group*& group);
void comm_compare(Comm& a, Comm& b, int& result);
void comm_test_inter(Comm& comm, bool& flag);
void comm_remote_size(Comm& comm, int& size);       ///< @throws Error unless it is an inter-communicator
void comm_remote_group(Comm& comm, Group*& group);  ///< @throws Error unless it is an inter-communicator
void comm_set_name(Comm& comm, const char* name);
void comm_get_name(Comm* comm, char* name, int& length);  ///< room for MPI_MAX_OBJECT_NAME; also of MPI_COMM_NULL
void comm_set_info(Comm& comm, Info* info);
void comm_get_info(Comm& comm, Info*& info);

// --- construction and destruction (MPI-4.1, sections 7.4.2 and 7.4.3)
// -----------------------------------------------------
void comm_dup(Comm& comm, Comm*& copy);
void comm_dup_with_info(Comm& comm, Info* info, Comm*& copy);
void comm_idup(Comm& comm, Comm*& copy, Request*& request);
void comm_idup_with_info(Comm& comm, Info* info, Comm*& copy, Request*& request);
void comm_create(Comm& comm, Group& group, Comm*& created);
/// Collective over `group` alone; `tag` tells apart calls of different threads.
void comm_create_group(Comm& comm, Group& group, int tag, Comm*& created);
void comm_split(Comm& comm, int color, int key, Comm*& part);
/// How MPI_Comm_split_type divides (values of the standard ABI).
inline constexpr int comm_type_shared = 221;
inline constexpr int comm_type_hw_unguided = 222;
inline constexpr int comm_type_hw_guided = 223;
inline constexpr int comm_type_resource_guided = 224;
/// Members on one simulated host (MPI_COMM_TYPE_SHARED) or on one part of the hardware: see hardware.hpp.
void comm_split_type(Comm& comm, int split_type, int key, Info* info, Comm*& part);
void comm_free(Comm*& comm);
void comm_disconnect(Comm*& comm);

}  // namespace orrery::mpi
