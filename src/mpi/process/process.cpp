// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "mpi/clock/clock.hpp"
#include "mpi/process/alone.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/process/host_names.hpp"
#include "mpi/process/host_processors.hpp"
#include "mpi/process/template.hpp"
#include "mpi/rank/call.hpp"

namespace orrery::mpi {
namespace {

/// Null when this process is no rank (any more). Apart from `process()`, because every call reads it.
Rank* running_rank = nullptr;

constexpr const char* one_program = "; a rank is one program: start each of them by an `orrery run` of its own";

[[noreturn]] void cannot_start(const std::string& why) {
  std::fprintf(stderr, "orrery: %s\n", why.c_str());
  std::exit(1);
}

int descriptor_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

bool started_by_orrery() { return descriptor_in(channel::env_memory) >= 0; }

/// Says to a program that replaces this process (exec) that it was a rank: "PID RANK".
constexpr const char* env_left = "ORRERY_LEFT_RANK";

/// A rank is one MPI program from its beginning to its end. Which one is the first that gets there, should two at once.
void claim(channel::Memory& memory, int rank) {
  std::int32_t nobody = 0;
  channel::RankBlock& block = memory.block(rank);
  if (block.pid.compare_exchange_strong(nobody, getpid())) return;
  const bool is_over = block.phase.load() == static_cast<std::uint32_t>(channel::RankPhase::Finalized);
  refuse_to_be(memory, rank,
               concat(program_invocation_name, " is the second MPI program that this rank starts, ",
                      is_over ? "behind one that has called MPI_Finalize" : "beside one that runs", one_program));
}

/// Ends a program that a rank has become after MPI_Finalize: it is no rank, and not alone either.
void check_not_left() {
  const char* left = std::getenv(env_left);
  int pid = 0, rank = 0;
  if (left == nullptr || std::sscanf(left, "%d %d", &pid, &rank) != 2 || pid != getpid()) return;
  cannot_start(concat("rank ", rank, ": ", program_invocation_name,
                      " is the second MPI program that this rank starts, in ",
                      "place of one that has called MPI_Finalize", one_program));
}

channel::Memory* attach() {
  try {
    if (!started_by_orrery()) {
      check_not_left();
      return begin_alone();
    }
    return new channel::Memory(channel::Memory::attach(descriptor_in(channel::env_memory)));
  } catch (const InputError& error) {
    cannot_start(error.what());
  }
}

/// What the program starts is not part of the run.
void hide_from_children() {
  fcntl(descriptor_in(channel::env_memory), F_SETFD, FD_CLOEXEC);
  if (const int launcher = descriptor_in(channel::env_launcher); launcher >= 0) close(launcher);
  for (const char* name : {channel::env_memory, channel::env_rank, channel::env_launcher, env_label}) unsetenv(name);
  // A process that the program forks is no rank: it must not write to the ring of its parent.
  pthread_atfork(nullptr, nullptr, [] {
    running_rank = nullptr;
    stop_simulated_clocks();
  });
}

/// A rank that wakes many others, as collectives do, should finish before they run: without this each of them takes the
/// processor from it as soon as it is woken, which costs as many switches more.
void run_in_batches() {
  const sched_param none{};
  (void)sched_setscheduler(0, SCHED_BATCH, &none);
}

/// Which rank of the run this process is; the template forks the others here.
int rank_of_run(channel::Memory& memory) {
  run_in_batches();
  const char* number = std::getenv(channel::env_rank);
  if (number == nullptr) {
    if (memory.block(0).pid.load() != 0) claim(memory, 0);  // it has been forked
    return template_main(memory, descriptor_in(channel::env_launcher));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  claim(memory, std::atoi(number));
  write_whole_lines();
  return std::atoi(number);
}

/// A function of the library that folds the heap (heap/heap.cpp), if that is loaded.
template <class Function>
Function* heap_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Says so where the C library's clocks come before the ones that follow simulated time: something between `orrery run`
/// and this process has taken the library that has them out of LD_PRELOAD.
void warn_of_host_clocks(const Rank& rank) {
  if (rank.world_rank() != 0 || rank.settings().simulated_clock == 0) return;
  Dl_info own{}, used{};
  const bool known = dladdr(reinterpret_cast<void*>(&warn_of_host_clocks), &own) != 0 &&
                     dladdr(dlsym(RTLD_DEFAULT, "clock_gettime"), &used) != 0;
  if (!known || own.dli_fbase == used.dli_fbase) return;
  std::fprintf(
      stderr,
      "orrery: clocks and waits of this program follow this host, not simulated time: LD_PRELOAD does not name "
      "%s any more; keep what `orrery run` sets\n",
      own.dli_fname);
}

/// Whether any other rank may still fetch messages from this one.
bool peers_run(Rank& rank) {
  const auto all = static_cast<int>(rank.settings().born.load(std::memory_order_acquire));
  for (int other = 0; other < all; ++other) {
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

}  // namespace

Process& process() {
  static Process instance;
  return instance;
}

Rank* rank_if_running() { return running_rank; }

Rank& this_rank() {
  if (running_rank == nullptr) {
    if (is_forked_from_rank()) cannot_start(concat("an MPI routine was called by ", forked()));
    cannot_start(process().stage == Stage::Finalized ? "an MPI routine was called after MPI_Finalize"
                                                     : "an MPI routine was called before MPI_Init");
  }
  return *running_rank;
}

bool is_forked_from_rank() {
  const Process& self = process();
  return self.rank != nullptr && self.rank->block().pid.load(std::memory_order_relaxed) != getpid();
}

std::string forked() {
  return concat("a process that rank ", process().rank->world_rank(),
                " has forked after MPI_Init, and which is no rank itself");
}

std::optional<int> ranks_of_run() {
  Process& self = process();
  if (self.memory == nullptr && started_by_orrery()) self.memory = attach();
  if (self.memory == nullptr) return std::nullopt;
  return static_cast<int>(self.memory->header().ranks);
}

void become_rank() {
  Process& self = process();
  if (self.memory == nullptr) self.memory = attach();
  self.alone = !started_by_orrery();
  const int rank = self.alone ? 0 : rank_of_run(*self.memory);
  hide_from_children();
  self.rank = new Rank(*self.memory, rank);
  running_rank = self.rank;
  self.rank->block().pid.store(getpid(), std::memory_order_relaxed);
  self.rank->block().thread.store(gettid(), std::memory_order_relaxed);
  self.rank->block().phase.store(static_cast<std::uint32_t>(channel::RankPhase::Running), std::memory_order_release);
  if (const auto of_rank = heap_function<void(int)>("orrery_heap_of_rank")) of_rank(rank);
  self.rank->enter(Call::latest());
  start_simulated_clocks(*self.rank);
  if (self.alone) return;
  warn_of_host_clocks(*self.rank);
  take_host_name(*self.memory, rank);
  take_host_processors(*self.memory, rank);
}

void leave_run() {
  Process& self = process();
  if (!self.rank->in_call()) self.rank->enter(0);  // at the end of the process
  if (const auto ends = heap_function<void()>("orrery_heap_ends")) ends();
  self.rank->ask({.kind = op::Kind::Finalize});
  wait_for_freed_sends(*self.rank);
  // What nobody received must not hold up a sender that has cancelled it.
  self.rank->progress();
  self.rank->fetch_ahead();
  self.rank->block().phase.store(static_cast<std::uint32_t>(channel::RankPhase::Finalized), std::memory_order_seq_cst);
  // Makes room, so that those who wait for it look again and see that nobody reads any more.
  self.rank->progress();
  self.rank->wake_unfetched();
  self.rank->leave();
  running_rank = nullptr;
  setenv(env_left, concat(getpid(), " ", self.rank->world_rank()).c_str(), 1);
}

}  // namespace orrery::mpi
