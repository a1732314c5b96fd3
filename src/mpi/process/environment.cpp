// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/environment.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/process/process.hpp"

namespace orrery::mpi {
namespace {

constexpr int version_of_standard = 5;
constexpr int subversion_of_standard = 0;

pthread_t main_thread;

void copy_with_length(const char* from, char* to, int& length) {
  length = static_cast<int>(std::strlen(from));
  std::memcpy(to, from, static_cast<std::size_t>(length) + 1);
}

/// The end of a process that has had sessions. One that has not finalised them all leaves the run early.
void leave_at_exit() {
  const Process& self = process();
  if (rank_if_running() != nullptr && self.sessions == 0 && self.stage != Stage::Running) leave_run();
}

void provide_threads(int required) {
  process().thread_level = std::clamp(required, thread_single, thread_multiple);
  if (process().thread_level > thread_funneled) this_rank().allow_threads();
}

}  // namespace

void init(int* argc, char*** argv) {
  int provided = 0;
  init_thread(argc, argv, thread_single, provided);
}

void init_thread(int* /*argc*/, char*** /*argv*/, int required, int& provided) {
  if (is_forked_from_rank()) {
    std::fprintf(stderr, "orrery: MPI_Init was called by %s\n", forked().c_str());
    std::exit(1);
  }
  if (process().stage != Stage::Before) {
    throw Error{err_other, process().stage == Stage::Running ? "MPI is initialised already"
                                                             : "MPI cannot be initialised again after MPI_Finalize"};
  }
  if (process().rank == nullptr) become_rank();
  process().stage = Stage::Running;
  main_thread = pthread_self();
  provide_threads(required);
  provided = process().thread_level;
}

void enter_session(int required) {
  Process& self = process();
  if (self.rank != nullptr && rank_if_running() == nullptr) {
    throw Error{err_other, "the process has left the run with MPI_Finalize; sessions must be begun before that"};
  }
  if (self.rank == nullptr) {
    become_rank();
    provide_threads(required);
  }
  if (!std::exchange(self.outlives, true)) std::atexit(leave_at_exit);
  ++self.sessions;
}

void leave_session() { --process().sessions; }

void initialized(bool& flag) { flag = process().stage != Stage::Before; }

void finalized(bool& flag) { flag = process().stage == Stage::Finalized; }

void finalize() {
  if (process().stage != Stage::Running) throw Error{err_other, "MPI_Finalize was called without MPI_Init before it"};
  (void)this_rank();
  empty_comm_self();
  process().stage = Stage::Finalized;
  if (!process().outlives) leave_run();
}

void query_thread(int& provided) {
  (void)this_rank();
  provided = process().thread_level;
}

void is_thread_main(bool& flag) {
  (void)this_rank();
  flag = pthread_equal(main_thread, pthread_self()) != 0;
}

void get_version(int& version, int& subversion) {
  version = version_of_standard;
  subversion = subversion_of_standard;
}

void get_library_version(char* version, int& length) {
  copy_with_length("Orrery " ORRERY_VERSION ", a simulated cluster", version, length);
}

void get_processor_name(char* name, int& length) {
  Rank& rank = this_rank();
  copy_with_length(rank.memory().host_name(rank.world_rank()), name, length);
}

void pcontrol(int level) {
  Rank& rank = this_rank();
  if (level > 0) {
    rank.begin_phase(static_cast<std::uint32_t>(level));
    rank.push({.kind = op::Kind::PhaseBegin, .tag = level});
  } else if (rank.end_phase()) {
    rank.push({.kind = op::Kind::PhaseEnd});
  }
}

}  // namespace orrery::mpi
