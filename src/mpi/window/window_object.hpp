// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/channel/effects.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/object/attributes.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/request/staging.hpp"
#include "mpi/window/window.hpp"

namespace orrery::mpi {

class PendingEffect;

/// What all members know of one: in shared memory, written by its owner when the window is made.
struct alignas(64) WindowPart {
  std::uint64_t address;   ///< of its memory in its process; dynamic windows: 0, displacements are addresses
  std::int64_t size;       ///< bytes
  std::int64_t unit;       ///< of displacements, in bytes
  channel::Offset shared;  ///< where its memory lies in the memory of the run; 0: only its process has it
  channel::EffectQueue effects;
};

/// What this rank may do with the memory of others (MPI-4.1, section 12.5).
enum class Epoch : std::uint8_t {
  None,
  FenceIssued,  ///< after a fence: the first access begins its epoch, anything else forgets it
  Fence,
  Started,
  Locked,
  LockedAll,
};

/// What this rank has under way on one target.
struct Target {
  enum class Lock : std::uint8_t { None, Shared, Exclusive, NoCheck };

  Lock lock = Lock::None;
  bool started = false;           ///< in the group of MPI_Win_start
  op::RequestId outstanding = 0;  ///< counts operations that the kernel has not completed; 0: none
  bool ordered = false;           ///< there are accumulates that happen in the kernel's order
  bool results = false;           ///< some of them with results
  std::size_t many = 64;          ///< so many of them are worth a look
  std::vector<std::shared_ptr<PendingEffect>> effects;  ///< those of them that are not settled
};

/// A window as one rank sees it.
struct Window {
  Comm* comm = nullptr;  ///< of its own: its number is the window's
  int flavor = flavor_create;
  int model = model_unified;
  void* base = nullptr;
  std::int64_t size = 0;
  int unit = 1;
  channel::Offset table = 0;    ///< of the parts
  std::span<WindowPart> parts;  ///< by rank
  channel::Offset memory = 0;   ///< in the memory of the run, if this rank has to give it back
  std::size_t memory_bytes = 0;

  Epoch access = Epoch::None;
  bool all_checked = false;                        ///< MPI_Win_lock_all has asked for its lock
  int locks = 0;                                   ///< held
  std::map<int, Target> targets;                   ///< by rank, those that were ever accessed
  std::vector<int> started;                        ///< ranks of MPI_Win_start's group
  bool exposed = false;                            ///< between MPI_Win_post and MPI_Win_wait
  std::vector<Request*> awaited;                   ///< completes of MPI_Win_post's group
  std::vector<int> exposed_to;                     ///< ranks of that group
  std::map<std::uint64_t, std::int64_t> attached;  ///< dynamic windows: sizes by address
  StagedResults staged;

  std::string name;
  Errhandler* errhandler = nullptr;  ///< null: MPI_ERRORS_ARE_FATAL
  Attributes attributes;
  Info* info = nullptr;
  void* abi_handle = nullptr;

  [[nodiscard]] int self() const { return comm->rank; }
  [[nodiscard]] WindowPart& part(int rank) const { return parts[static_cast<std::size_t>(rank)]; }
};

}  // namespace orrery::mpi
