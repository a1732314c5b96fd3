// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "kernel/state.hpp"

namespace orrery::kernel {
namespace {

constexpr std::uint64_t events_between_reports = 1024;

void check(const Config& config) {
  if (config.host_of_rank.empty()) throw InputError("a simulation needs at least one rank");
  if (config.compute_factor.size() != config.host_of_rank.size()) {
    throw InputError(concat("a compute factor is needed for each of the ", config.host_of_rank.size(), " ranks, got ",
                            config.compute_factor.size()));
  }
  if (config.initial_ranks > config.host_of_rank.size()) throw InputError("there are more ranks than have hosts");
  if (!(config.poll_cost.s > 0)) throw InputError("the cost of a poll must be positive: polling would never end");
}

settings::Processors shared_processors(const settings::Node& node) {
  return node.processors.value_or(settings::Processors{});
}

/// What a message of no bytes costs its two sides says what a longer one costs besides.
node::Handling handling_of(const Config& config, transport::Transport& transport) {
  settings::check(config.node, "node");
  const auto& hosts = config.host_of_rank;
  const auto other = std::find_if(hosts.begin(), hosts.end(), [&](auto host) { return host != hosts.front(); });
  if (other == hosts.end()) return {config.node, {}, {}, config.seed};  // no message goes to another node
  const network::Cost empty = transport.cost(hosts.front(), *other, {0});
  return {config.node, empty.send_overhead, empty.recv_overhead, config.seed};
}

}  // namespace

Simulation::State::State(Config config_, transport::Transport& transport_, const collective::Selector& selector_,
                         op::Streams& streams_, Groups& groups_)
    : config(std::move(config_)),
      transport(transport_),
      selector(selector_),
      streams(streams_),
      groups(groups_),
      processors(shared_processors(config.node).count),
      attention(config.node.progress, config.host_of_rank.size()),
      handling(handling_of(config, transport_)),
      slice{shared_processors(config.node).slice_s},
      idle_wake{shared_processors(config.node).idle_wake_s},
      known_ahead(streams_.known_ahead() && !processors.shared() && !attention.in_calls() && !handling.varies()) {
  check(config);
  ranks.resize(config.host_of_rank.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    Cursor& cursor = cursors[cursors.take()];
    cursor.rank = static_cast<std::int32_t>(rank);
    cursor.state = Cursor::State::Ended;
  }
  const auto all = static_cast<std::uint32_t>(ranks.size());
  const std::uint32_t initial = config.initial_ranks == 0 ? all : config.initial_ranks;
  while (born < initial) be_born({});
  progress.ranks_alive = alive;
}

std::optional<Deadlock> Simulation::State::run() {
  for (;;) {
    stop_if_interrupted();  // each time: the network may take long over a single instant
    while (!queue.empty() && queue.top().time <= now) {
      const Event event = queue.pop();
      ++events;
      if (events >= next_report) report_progress();
      switch (event.kind()) {
        case Event::Kind::Release: complete(event.subject); break;
        case Event::Kind::Envelope: envelope_arrived(event.subject); break;
        case Event::Kind::OneSided: one_sided_event(event.subject); break;
        case Event::Kind::Cursor:
          stepping = event.subject;
          step(event.subject);
          stepping = none;
          break;
        case Event::Kind::Rest: fall_asleep(event.subject); break;
      }
    }
    if (!parked.empty()) {
      hear_parked();
      if (!queue.empty() && queue.top().time <= now) continue;
    }
    go_ahead();
    const std::optional<SimTime> next = transport.next_event();
    if (storage != nullptr) {
      const std::optional<SimTime> access = storage->next_event();
      if (access && (!next || *access < *next) && (queue.empty() || *access <= queue.top().time)) {
        accesses_ended(*access);
        continue;
      }
    }
    if (!next && queue.empty()) {
      if (parked.empty()) break;
      wait_for_threads();
      continue;
    }
    if (next && (queue.empty() || *next <= queue.top().time)) {
      go_to(std::max(now, *next));
      ended.clear();
      transport.advance(*next, ended);
      events += ended.size();
      released.clear();
      transport.take_released(released);
      for (const sharing::TransferId message : released) release_sender(message);
      for (const sharing::TransferId message : ended) transfer_ended(message);
    } else {
      go_to(queue.top().time);
    }
  }
  report_progress();
  return find_deadlock();
}

void Simulation::State::report_progress() {
  next_report = events + events_between_reports;
  progress.now_s.store(now.s, std::memory_order_relaxed);
  progress.messages.store(sent, std::memory_order_relaxed);
  progress.bytes.store(static_cast<std::uint64_t>(sent_bytes.count), std::memory_order_relaxed);
  progress.ranks_alive.store(alive, std::memory_order_relaxed);
  stop_if_interrupted();
}

void Simulation::State::stop_if_interrupted() const {
  if (config.interrupt != nullptr && config.interrupt->load(std::memory_order_relaxed)) throw Interrupted{};
}

void Simulation::State::bad_stream(const Cursor& cursor, const std::string& what) const {
  throw InputError(concat("rank ", cursor.rank, " at ", cursor.clock.s, " s: ", what));
}

void Simulation::State::check_rank(const Cursor& cursor, const char* what, std::int32_t rank) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= ranks.size())
    bad_stream(cursor, concat(what, " rank ", rank, ", which does not exist"));
}

// --- the face of the room ------------------------------------------------------------------------------------------

Simulation::Simulation(Config config, transport::Transport& transport, const collective::Selector& selector,
                       op::Streams& streams, Groups& groups)
    : state_(std::make_unique<State>(std::move(config), transport, selector, streams, groups)) {}

Simulation::~Simulation() = default;

std::optional<Deadlock> Simulation::run() { return state_->run(); }

SimTime Simulation::now() const {
  SimTime latest = state_->ranks.empty() ? state_->now : SimTime{};
  for (const RankState& rank : state_->ranks) latest = std::max(latest, rank.end);
  return state_->alive == 0 ? latest : std::max(latest, state_->now);
}

std::vector<SimTime> Simulation::end_of_ranks() const {
  std::vector<SimTime> ends;
  for (std::uint32_t rank = 0; rank < state_->born; ++rank) ends.push_back(state_->ranks[rank].end);
  return ends;
}

std::vector<ProfileRow> Simulation::profile() const {
  std::vector<ProfileRow> rows;
  for (std::uint32_t rank = 0; rank < state_->ranks.size(); ++rank) {
    std::vector<RankProfile::Line> lines = state_->ranks[rank].profile.lines();
    std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
      return std::pair(a.phase, a.routine) < std::pair(b.phase, b.routine);
    });
    for (const auto& line : lines) {
      rows.push_back({rank, line.phase, line.routine, line.calls, line.time, line.messages, line.bytes});
    }
  }
  return rows;
}

std::vector<AlgorithmUse> Simulation::algorithm_use() const {
  std::vector<AlgorithmUse> uses = state_->algorithm_uses.all();
  const auto order = [](const AlgorithmUse& use) {
    return std::tuple(use.routine, use.choice.algorithm, use.choice.segment.count, use.choice.fanout);
  };
  std::sort(uses.begin(), uses.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return uses;
}

const Progress& Simulation::progress() const { return state_->progress; }
std::uint64_t Simulation::messages() const { return state_->sent; }
Bytes Simulation::bytes() const { return state_->sent_bytes; }
FileUse Simulation::file_use() const { return state_->file_use; }
std::uint64_t Simulation::events() const { return state_->events; }
transport::Stalled Simulation::stalled() const { return state_->transport.stalled(); }
std::uint64_t Simulation::outside_waits() const { return state_->outside_waits; }

std::size_t Simulation::bytes_per_idle_rank() const {
  return sizeof(RankState) + sizeof(Cursor) + sizeof(Event) + sizeof(platform::HostId) + sizeof(double);
}

}  // namespace orrery::kernel
