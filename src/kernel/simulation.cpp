// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "kernel/deadlock.hpp"
#include "kernel/event_loop.hpp"

/// The face of the room.
namespace orrery::kernel {

struct Simulation::State {
  State(Config config, transport::Transport& transport, const collective::Selector& selector, op::Streams& streams,
        Groups& groups)
      : components(std::move(config), transport, selector, streams, groups), loop(components, progress) {
    Cursors& cursors = components.cursors;
    const std::uint32_t initial = components.config.initial_ranks;
    while (cursors.born() < (initial == 0 ? cursors.ranks() : initial)) begin(cursors.born());
    progress.ranks_alive = cursors.alive();
  }

  /// The next of the initial ranks leaves MPI_Init.
  void begin(std::uint32_t rank) {
    const std::vector<startup::Beginning>& all = components.config.beginnings;
    if (all.empty()) return components.cursors.be_born({});
    RankProfile::Line& line = components.profiles.line(static_cast<std::int32_t>(rank), components.config.init_routine);
    ++line.calls;
    line.time += all[rank].leaves - all[rank].enters;
    components.cursors.be_born(all[rank].leaves);
  }

  Components components;
  Progress progress;
  EventLoop loop;
};

Simulation::Simulation(Config config, transport::Transport& transport, const collective::Selector& selector,
                       op::Streams& streams, Groups& groups)
    : state_(std::make_unique<State>(std::move(config), transport, selector, streams, groups)) {}

Simulation::~Simulation() = default;

std::optional<Deadlock> Simulation::run() {
  state_->loop.run();
  const Components& of = state_->components;
  return DeadlockReport(of.cursors, of.frames, of.requests, of.locks, of.files, of.matching, of.messages).find();
}

SimTime Simulation::now() const {
  const Cursors& cursors = state_->components.cursors;
  SimTime latest;
  for (const SimTime end : cursors.ends()) latest = std::max(latest, end);
  return cursors.alive() == 0 ? latest : std::max(latest, state_->components.clock.now);
}

std::vector<SimTime> Simulation::end_of_ranks() const {
  const Cursors& cursors = state_->components.cursors;
  return {cursors.ends().begin(), cursors.ends().begin() + cursors.born()};
}

SimTime Simulation::launched() const {
  SimTime latest;
  for (const startup::Beginning& beginning : state_->components.config.beginnings)
    latest = std::max(latest, beginning.leaves);
  return latest;
}

std::vector<ProfileRow> Simulation::profile() const { return state_->components.profiles.rows(); }
std::vector<AlgorithmUse> Simulation::algorithm_use() const { return state_->components.frames.uses.sorted(); }
const Progress& Simulation::progress() const { return state_->progress; }
std::uint64_t Simulation::messages() const { return state_->components.messages.sent(); }
Bytes Simulation::bytes() const { return state_->components.messages.bytes(); }
FileUse Simulation::file_use() const { return state_->components.files.use(); }
std::uint64_t Simulation::events() const { return state_->loop.events(); }
transport::Stalled Simulation::stalled() const { return state_->components.transport.stalled(); }
transport::Connected Simulation::connected() const { return state_->components.transport.connected(); }
Unreceived Simulation::unreceived() const { return state_->components.matching.unreceived(); }
std::uint64_t Simulation::outside_waits() const { return state_->loop.outside_waits(); }

std::size_t Simulation::bytes_per_idle_rank() const {
  const std::size_t of_components = Profiles::bytes_per_rank() + Threads::bytes_per_rank() + Cursors::bytes_per_rank() +
                                    Requests::bytes_per_rank() + Matching::bytes_per_rank() + Probes::bytes_per_rank() +
                                    Sending::bytes_per_rank();
  return of_components + sizeof(Event) + sizeof(platform::HostId) + sizeof(double);
}

}  // namespace orrery::kernel
