// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/environment.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstring>

#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/process.hpp"

namespace orrery::mpi {
namespace {

constexpr int version_of_standard = 5;
constexpr int subversion_of_standard = 0;

pthread_t main_thread;

/// Whether any other rank may still fetch messages from this one.
bool peers_run(Rank& rank) {
  for (int other = 0; other < rank.world_size(); ++other) {
    if (other == rank.world_rank()) continue;
    const auto phase = static_cast<channel::RankPhase>(rank.memory().block(other).phase.load());
    if (phase == channel::RankPhase::Unborn || phase == channel::RankPhase::Running) return true;
  }
  return false;
}

/// Sends that the program has freed before their bytes were fetched: the process must stay until they are.
void wait_for_freed_sends(Rank& rank) {
  constexpr std::uint64_t look_again_ns = 1'000'000;
  auto& doorbell = rank.block().doorbell;
  for (rank.progress(); rank.has_tasks() && peers_run(rank); rank.progress()) {
    doorbell.sleep(doorbell.prepare(), look_again_ns);
  }
}

void copy_text(const char* from, char* to, int& length) {
  length = static_cast<int>(std::strlen(from));
  std::memcpy(to, from, static_cast<std::size_t>(length) + 1);
}

}  // namespace

void init(int* argc, char*** argv) {
  int provided = 0;
  init_thread(argc, argv, thread_single, provided);
}

void init_thread(int* /*argc*/, char*** /*argv*/, int required, int& provided) {
  if (process().stage != Stage::Before) {
    throw Error{err_other, process().stage == Stage::Running ? "MPI is initialised already"
                                                             : "MPI cannot be initialised again after MPI_Finalize"};
  }
  become_rank();
  main_thread = pthread_self();
  // The library keeps no locks: only the thread that initialised it may call it.
  provided = process().thread_level = std::min(required, thread_funneled);
}

void initialized(bool& flag) { flag = process().stage != Stage::Before; }

void finalized(bool& flag) { flag = process().stage == Stage::Finalized; }

void finalize() {
  Rank& rank = this_rank();
  empty_comm_self();
  rank.ask({.kind = op::Kind::Finalize});
  wait_for_freed_sends(rank);
  leave_run();
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
  copy_text("Orrery " ORRERY_VERSION ", a simulated cluster", version, length);
}

void get_processor_name(char* name, int& length) {
  Rank& rank = this_rank();
  copy_text(rank.memory().host_name(rank.world_rank()), name, length);
}

void pcontrol(int level) {
  Rank& rank = this_rank();
  if (level > 0) {
    ++rank.open_phases();
    rank.push({.kind = op::Kind::PhaseBegin, .tag = level});
  } else if (rank.open_phases() > 0) {
    --rank.open_phases();
    rank.push({.kind = op::Kind::PhaseEnd});
  }
}

}  // namespace orrery::mpi
