// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The C++ bindings of MPI-2 would be part of the header otherwise.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <optional>

#include "collective/collective.hpp"

/// Deploy: a library that is preloaded into the ranks of a real MPI program, and carries out its collective calls by
/// the algorithms of `src/collective`. It is compiled by the user's mpicxx, so that it speaks that MPI's binary
/// interface.
///
/// `calls.cpp` has the collective routines, exported as MPI_x and as PMPI_x: Fortran bindings call one or the other,
/// with C's own MPI_IN_PLACE and MPI_BOTTOM, so both languages come by here. Each asks `call` (`call.cpp`): the rules
/// (`rules.hpp`) say which algorithm the call has, from what all its ranks share. `member.hpp` is what is kept for each
/// communicator: a private copy for the messages, and where the ranks are. `prepared.hpp` keeps the operations of a
/// call, `execution.hpp` carries them out, `staged.hpp` says where the bytes are. What is not carried out here is left
/// to the library (`tally.hpp` counts why). `life.cpp` begins and ends all that, and sees communicators come.
namespace orrery::deploy {

using collective::CollectiveKind;

/// A collective call as MPI has it: what this rank gives, and what it gets. Bcast has only what it gets.
struct Arguments {
  CollectiveKind kind = CollectiveKind::Barrier;
  const void* give = nullptr;
  MPI_Count give_count = 0;
  MPI_Datatype give_type = MPI_DATATYPE_NULL;
  void* get = nullptr;
  MPI_Count get_count = 0;
  MPI_Datatype get_type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Carries the call out, and gives its result as MPI does; nothing: the library is to do it.
[[nodiscard]] std::optional<int> call(const Arguments& arguments);

/// While it exists, calls come from MPI, or from here, and are none of the program's.
class Inside {
 public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  [[nodiscard]] static bool already() { return depth_ > 0; }

 private:
  static inline thread_local int depth_ = 0;
};

/// MPI has begun: all ranks of its world come here together. `threads`: the level that MPI provides.
void begin(int threads);
/// MPI is about to end.
void end();
/// A communicator was made, by all its ranks together.
void made(MPI_Comm comm);

/// Ends the job, after a sentence on standard error and, where it is visible, in the report.
[[noreturn]] void give_up(const std::string& why);

}  // namespace orrery::deploy
