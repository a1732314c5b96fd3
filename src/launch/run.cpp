// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "launch/describe.hpp"
#include "launch/descriptor.hpp"
#include "launch/gather.hpp"
#include "launch/launch.hpp"
#include "launch/pass_on.hpp"
#include "launch/processes.hpp"
#include "launch/services.hpp"
#include "launch/shared_groups.hpp"
#include "launch/spawn.hpp"
#include "launch/start.hpp"
#include "launch/watch.hpp"
#include "mpi/channel/channel.hpp"
#include "mpi/channel/folded.hpp"
#include "mpi/channel/local_calls.hpp"
#include "mpi/channel/sites.hpp"
#include "replay/recording.hpp"

namespace orrery::launch {
namespace {

using mpi::channel::KernelEnd;
using mpi::channel::Memory;
using replay::Recording;

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Each rank knows which of the programs it runs (MPI_APPNUM).
void number_programs(const Job& job, Memory& memory) {
  int rank = 0;
  for (std::size_t program = 0; program < job.sections.size(); ++program) {
    for (std::uint32_t i = 0; i < job.sections[program].ranks; ++i)
      memory.block(rank++).appnum = static_cast<std::int32_t>(program);
  }
}

void check(const Job& job) {
  if (job.ranks == 0) throw InputError("a run needs at least one rank");
  if (job.sections.empty()) return;
  std::uint32_t ranks = 0;
  for (const Section& section : job.sections) ranks += section.ranks;
  if (ranks != job.ranks) throw InputError(concat("the programs have ", ranks, " ranks, the run ", job.ranks));
  if (job.start == Start::Fork) throw InputError("ranks of several programs cannot be forked from one");
}

Memory prepare_memory(const Job& job) {
  check(job);
  const auto places = static_cast<std::uint32_t>(job.kernel.host_of_rank.size());
  Memory memory = Memory::create(job.ranks, places > job.ranks ? places - job.ranks : 0);
  mpi::channel::Header& header = memory.header();
  header.buffered_limit = job.buffered_limit;
  header.no_data = job.no_data ? 1 : 0;
  header.fold_from = job.fold_from;
  if (job.fold_from > 0) {
    header.fold_block = mpi::channel::make_folded_block(memory);
    header.folded.blocks = 1;
  }
  header.execute_all = job.execute_all ? 1 : 0;
  header.measure_compute = job.measure_compute ? 1 : 0;
  header.simulated_clock = job.simulated_clock ? 1 : 0;
  header.compute_scale = job.compute_scale;
  header.steady = job.charge == computation::Charge::Steady ? 1 : 0;
  // With a processor for each, ranks find their caches as they left them.
  header.measure_warm = header.steady != 0 && job.ranks > std::thread::hardware_concurrency() ? 1 : 0;
  header.epoch_s = wall_clock_s();
  header.may_start_afresh = job.start == Start::Auto ? 1 : 0;
  header.spin = job.ranks < std::thread::hardware_concurrency() ? 1 : 0;  // one core is the kernel's
  memory.set_compute_factors(job.kernel.compute_factor);
  memory.set_hosts(job.host_names, job.kernel.host_of_rank);
  memory.set_processors(job.processors);
  memory.set_levels(job.levels);
  number_programs(job, memory);
  return memory;
}

std::unique_ptr<Recording> recording_of(const Job& job, op::Streams& streams, const Memory& memory,
                                        SharedGroups& groups) {
  if (job.trace.empty()) return nullptr;
  auto made = std::make_unique<Recording>(streams, groups, job.trace, job.ranks, memory.header().capacity);
  std::vector<std::string_view> hosts;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank)
    hosts.push_back(job.host_names[static_cast<std::size_t>(job.kernel.host_of_rank[rank])]);
  made->describe(job.trace_properties, job.routine_names, hosts);
  made->keep_sites();
  return made;
}

kernel::Config config_of(const Job& job, const std::atomic<bool>& interrupt, RunServices& services,
                         Recording* recording) {
  if (recording != nullptr) recording->add_beginnings(job.kernel.beginnings, job.kernel.init_routine);
  kernel::Config config = job.kernel;
  config.initial_ranks = job.ranks;
  config.interrupt = &interrupt;
  config.services = &services;
  config.observer = recording;
  return config;
}

/// Interpreters, whose tracebacks are to stay whole, are started afresh.
Gather::Pipes pipes_of(const Job& job) {
  if (job.label) return Gather::Pipes::Labelled;
  return job.start == Start::Exec && job.ranks > 1 ? Gather::Pipes::OwnErrors : Gather::Pipes::Shared;
}

Outcome deadlocked(kernel::Deadlock deadlock) {
  Outcome outcome{.end = End::Deadlocked, .exit_code = 1};
  outcome.text = deadlock.cycle.empty()
                     ? concat("no rank can go on: ", deadlock.waiting.size(), " wait")
                     : concat("no rank can go on: ", deadlock.cycle.size(), " wait for each other in a circle");
  outcome.deadlock = std::move(deadlock);
  return outcome;
}

Folding folding_of(const Memory& memory) {
  const mpi::channel::FoldedUse& use = memory.header().folded;
  Folding folding{.asked_bytes = use.most_asked, .held_bytes = use.blocks * mpi::channel::folded_block};
  mpi::channel::for_each_site(memory, [&](const mpi::channel::Site& site) {
    if (site.kind != mpi::channel::SiteKind::HeapContents) return;
    const auto& found = *memory.as<mpi::channel::HeapContents>(site.what);
    folding.places.push_back({memory.as<char>(site.file), site.line, found.blocks, found.words, found.suspected});
  });
  std::ranges::sort(folding.places, {}, [](const HeapPlace& place) { return std::tie(place.file, place.offset); });
  return folding;
}

std::vector<kernel::ProfileRow> local_calls_of(const Memory& memory) {
  std::vector<kernel::ProfileRow> rows;
  for (std::uint32_t rank = 0; rank < memory.header().born.load(); ++rank) {
    for (const auto& [phase, routine, calls] : mpi::channel::counted_calls(memory, static_cast<int>(rank)))
      rows.push_back({.rank = rank, .phase = phase, .routine = routine, .calls = calls, .messages = 0});
  }
  return rows;
}

/// Where the ranks called, as captured traces say it.
void add_sites(Recording& recording, const Memory& memory) {
  mpi::channel::for_each_site(memory, [&](const mpi::channel::Site& site) {
    const bool python = site.kind == mpi::channel::SiteKind::CallOfPython;
    if (!python && site.kind != mpi::channel::SiteKind::Call) return;
    std::ostringstream text;
    text << memory.as<char>(site.file);
    if (!python) text << "+0x" << std::hex << site.line;
    recording.add_site(site.number, text.str());
  });
}

/// Who waits in which routine is all that is known: the kernel has no part in it.
Outcome at_standstill(const Job& job, const Memory& memory) {
  Outcome outcome{.end = End::Deadlocked, .exit_code = 1};
  outcome.text = describe_standstill(memory, job.routine_names);
  return outcome;
}

}  // namespace

/// Lets others know the processes of a run as long as there are any.
class WhileRunning {
 public:
  WhileRunning(std::mutex& mutex, const Processes*& known, const Processes& processes) : mutex_(mutex), known_(known) {
    set(&processes);
  }
  WhileRunning(const WhileRunning&) = delete;
  WhileRunning& operator=(const WhileRunning&) = delete;
  ~WhileRunning() { set(nullptr); }

 private:
  void set(const Processes* processes) {
    const std::lock_guard lock(mutex_);
    known_ = processes;
  }
  std::mutex& mutex_;
  const Processes*& known_;
};

struct Run::State {
  Job job;
  Memory memory;
  KernelEnd streams;
  SharedGroups groups;
  RunServices services;
  std::unique_ptr<Recording> recording;  ///< null: nothing is recorded
  computation::ChargedStreams charged;   ///< what is recorded is what was measured
  std::atomic<bool> cut_short{false};
  kernel::Simulation simulation;
  Event stop;
  std::mutex running_mutex;
  const Processes* running = nullptr;  ///< while there are some
  bool used = false;

  State(Job given, transport::Transport& transport, const collective::Selector& selector)
      : job(std::move(given)),
        memory(prepare_memory(job)),
        streams(memory),
        groups(memory),
        services(memory),
        recording(recording_of(job, streams, memory, groups)),
        charged(recording ? recording->streams() : streams, memory.header().capacity, job.charge),
        simulation(config_of(job, cut_short, services, recording.get()), transport, selector, charged, groups) {}

  Outcome run(const Output& output);
  Outcome run_processes(const Output& output);
  void simulate(Watch& watch);
  std::uint32_t signal(int number);
};

/// The kernel's part: returns when all streams are merged or the run has been decided otherwise.
void Run::State::simulate(Watch& watch) {
  try {
    if (std::optional<kernel::Deadlock> deadlock = simulation.run()) watch.decide(deadlocked(std::move(*deadlock)));
    watch.kernel_has_ended();
  } catch (const KernelEnd::Interrupted&) {
    // The run was decided while the kernel waited for a rank,
  } catch (const kernel::Interrupted&) {
    // or while it computed.
  } catch (const KernelEnd::AtStandstill&) {
    watch.decide(at_standstill(job, memory));
  } catch (const InputError& error) {
    watch.decide({.end = End::BadStream, .exit_code = 1, .text = error.what()});
  }
}

Outcome Run::State::run_processes(const Output& output) {
  // Destroyed from the last to the first: whatever is thrown, the watch ends, then the processes, then the reading of
  // what they have printed.
  Gather gather(job.ranks, pipes_of(job), output, [this] { stop.raise(); });
  Processes processes(memory_mark(memory));
  const WhileRunning while_running(running_mutex, running, processes);
  Started started = start_processes(job, memory, gather, processes);
  gather.close_writers();
  const auto decided = [&] {
    cut_short = true;
    streams.interrupt();
    processes.kill();
  };
  std::mutex starting;  // of processes: the watch and the kernel may both want some
  const auto start_others = [&](std::vector<Leader>& leaders) {
    const std::lock_guard lock(starting);
    start_all_but_first(job, memory, gather, processes, leaders);
  };
  Watch watch(job, memory, std::move(started.leaders), std::move(started.ended_ranks), stop, decided, start_others);
  services.start_with([&](const NewProgram& program, std::int32_t first) {
    const std::lock_guard lock(starting);
    std::vector<Leader> leaders;
    try {
      start_more(job, memory, program, first, gather, processes, leaders);
    } catch (...) {
      watch.add(leaders);
      throw;
    }
    watch.add(leaders);
  });
  simulate(watch);
  services.start_with({});
  Outcome outcome = watch.wait();
  watch.end();
  processes.end();
  gather.finish();
  if (recording) {
    recording->add_local_calls(local_calls_of(memory));
    add_sites(*recording, memory);
  }
  const std::string trace_error = recording ? recording->close() : "";
  outcome.trace_error = trace_error;
  outcome.peak_rss_bytes = watch.memory_use().peak_bytes();
  outcome.afresh = watch.ranks_started_afresh();
  outcome.shared_by_fork = watch.shared_by_fork();
  return outcome;
}

std::uint32_t Run::State::signal(int number) {
  const bool ends = number == SIGINT || number == SIGTERM || number == SIGHUP;
  const std::lock_guard lock(running_mutex);
  if (running == nullptr) return 0;
  return pass_on(number, ends ? PassTo::Handlers : PassTo::All, memory, running->leaders(), job.start == Start::Fork);
}

Outcome Run::State::run(const Output& output) {
  if (std::exchange(used, true)) throw std::logic_error("a run can be run once; make another");
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  try {
    outcome = run_processes(output);
  } catch (const StartError& error) {
    outcome = {.end = End::NotStarted, .exit_code = error.exit_code(), .text = error.what()};
  }
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

Run::Run(Job job, transport::Transport& transport, const collective::Selector& selector)
    : state_(std::make_unique<State>(std::move(job), transport, selector)) {}

Run::~Run() = default;

Outcome Run::run(const Output& output) { return state_->run(output); }

void Run::stop() { state_->stop.raise(); }

std::uint32_t Run::signal(int number) { return state_->signal(number); }

const kernel::Simulation& Run::simulation() const { return state_->simulation; }

std::vector<kernel::ProfileRow> Run::local_calls() const { return local_calls_of(state_->memory); }

Folding Run::folding() const { return folding_of(state_->memory); }

computation::Summary Run::computation() const { return state_->charged.summary(); }

const mpi::channel::MemoryWaits& Run::memory_waits() const { return state_->streams.memory_waits(); }

Sampling Run::sampling() const { return sampling_of(state_->memory, state_->job.kernel.compute_factor); }

}  // namespace orrery::launch
