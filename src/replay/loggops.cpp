// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "kernel/kernel.hpp"
#include "replay/loggops/countdowns.hpp"
#include "replay/loggops/event_runs.hpp"
#include "replay/loggops/line.hpp"
#include "replay/loggops/waiting.hpp"

namespace orrery::replay {
namespace {

using loggops::Countdowns;
using loggops::Crowds;
using loggops::Event;
using loggops::EventRuns;
using loggops::Few;
using loggops::Line;
using loggops::Waiting;
using trace::goal::Kind;
using trace::goal::Node;
using trace::goal::Schedule;

class Engine {
 public:
  Engine(const Schedule& schedule, const LogGOPS& parameters)
      : schedule_(schedule),
        p_(parameters),
        few_(schedule.ranks()),
        crowds_(schedule.ranks()),
        lines_(schedule.ranks()),
        one_of_each_(schedule.cpus() == 1 && schedule.nics() == 1) {
    required_.reserve(schedule.nodes());
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
      if (schedule.nodes(rank) > Waiting::most_nodes) throw InputError(concat("rank ", rank, " has too many nodes"));
      for (std::uint32_t number = 0; number < schedule.nodes(rank); ++number) {
        const Node node = schedule.node(rank, number);
        required_.push_back(node.required);
        if (node.kind == Kind::Receive && (node.peer == trace::goal::any || node.tag == trace::goal::any))
          few_[rank].take_any();
        if (node.kind == Kind::Send && node.tag == trace::goal::any) few_[node.peer].take_any();
      }
    }
    cpus_.resize(std::size_t{schedule.ranks()} * schedule.cpus());
    nics_.resize(std::size_t{schedule.ranks()} * schedule.nics());
  }

  LogGOPSResult run(std::atomic<std::uint64_t>* progress, const std::atomic<bool>* stop) {
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
      Ready& first = ready_[0];
      first.rank = rank;
      for (std::uint32_t i = 0; i < schedule_.roots(rank); ++i) first.nodes.push_back(schedule_.root(rank, i));
      begin_ready(first, true);
    }
    for (std::uint64_t events = 0; !queue_.empty(); ++events) {
      constexpr std::uint64_t between_looks = 1 << 14;
      if (events % between_looks == 0) {
        if (progress != nullptr) progress->store(over_, std::memory_order_relaxed);
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw kernel::Interrupted{};
      }
      const Event event = queue_.pop();
      fetch_ahead();
      happen(event);
    }
    return result();
  }

 private:
  using Lines = std::array<Line, 3>;  ///< of a rank: computations, sends, messages that came
  /// Nodes of a rank that can begin after what is happening.
  struct Ready {
    std::uint32_t rank = 0;
    std::vector<std::uint32_t> nodes;
  };
  struct Nic {
    std::uint64_t send_free = 0, receive_free = 0;
  };

  std::uint64_t& cpu(std::uint32_t rank, const Node& node) {
    return cpus_[std::size_t{rank} * schedule_.cpus() + node.cpu];
  }
  Nic& nic(std::uint32_t rank, const Node& node) { return nics_[std::size_t{rank} * schedule_.nics() + node.nic]; }

  /// When it can begin, from what the rank has; receives can at any time.
  std::uint64_t possible(const Event& event, const Node& node) {
    if (event.is_message()) return std::max(cpu(node.peer, node), nic(node.peer, node).receive_free);
    if (node.kind == Kind::Compute) return cpu(event.rank, node);
    if (node.kind == Kind::Send) return std::max(cpu(event.rank, node), nic(event.rank, node).send_free);
    return 0;
  }

  Line& line(const Event& event, const Node& node) {
    std::unique_ptr<Lines>& lines = lines_[event.is_message() ? node.peer : event.rank];
    if (lines == nullptr) lines = std::make_unique<Lines>();
    return (*lines)[event.is_message() ? 2 : node.kind == Kind::Send ? 1 : 0];
  }

  /// Puts off what cannot begin yet. @return whether `event`, which may have become another, begins now
  bool begins(Event& event, Node& node) {
    const std::uint64_t when = possible(event, node);
    const bool waits = when > event.time;
    if (!one_of_each_) {  // what waits for different processors does not wait in one line
      if (waits) queue_.push({when, event.order, event.rank, event.node});
      return !waits;
    }
    if (!waits && !event.stands_for_others()) return true;
    Line& others = line(event, node);
    if (!event.stands_for_others()) {
      others.push(event);
      if (others.front().order == event.order) queue_.push(event.for_others(when));
      return false;
    }
    if (others.empty() || (others.front().order | 2) != event.order) return false;  // one before it has taken its place
    if (waits) {
      queue_.push(event.for_others(when));
      return false;
    }
    const std::uint64_t now = event.time;
    event = others.pop();
    event.time = now;
    node = schedule_.node(event.rank, event.node);
    if (!others.empty()) queue_.push(others.front().for_others(now));
    return true;
  }

  void happen(Event event) {
    touched_ = 0;
    Node node = schedule_.node(event.rank, event.node);
    if (!begins(event, node)) return;
    if (event.is_message()) {
      arrive(event, node);
    } else if (node.kind == Kind::Compute) {
      compute(event, node);
    } else if (node.kind == Kind::Send) {
      send(event, node);
    } else {
      receive(event, node);
    }
    const int first = touched_ == 2 && ready_[1].rank < ready_[0].rank ? 1 : 0;
    for (int i = 0; i < touched_; ++i) begin_ready(ready_[i ^ first], false);
  }

  void compute(const Event& event, const Node& node) {
    std::uint64_t& free = cpu(event.rank, node);
    free = event.time + node.size;
    begun(event.rank, node);
    over(event.rank, node);
  }

  void send(const Event& event, const Node& node) {
    std::uint64_t& free = cpu(event.rank, node);
    Nic& port = nic(event.rank, node);
    begun(event.rank, node);
    free = event.time + p_.overhead_ns + (node.size - 1) * p_.overhead_per_byte_ns;
    port.send_free = event.time + p_.gap_ns + (node.size - 1) * p_.gap_per_byte_ns;
    queue_.push({event.time + p_.overhead_ns + p_.latency_ns, next_order(true), event.rank, event.node});
    if (node.size <= p_.sync_threshold) over(event.rank, node);
  }

  void receive(const Event& event, const Node& node) {
    begun(event.rank, node);
    const auto message = meet(event.rank, {node.peer, node.tag, event.node, false});
    if (!message) return;
    if (node.size > p_.sync_threshold) release_sender(message->source, message->node, node, event.time);
    over(event.rank, node);
  }

  /// A message has come to the rank that it was sent to.
  void arrive(const Event& event, const Node& sent) {
    const std::uint32_t here = sent.peer;
    std::uint64_t& free = cpu(here, sent);
    Nic& port = nic(here, sent);
    free = event.time + p_.overhead_ns +
           std::max((sent.size - 1) * p_.overhead_per_byte_ns, (sent.size - 1) * p_.gap_per_byte_ns);
    port.receive_free = event.time + p_.gap_ns + (sent.size - 1) * p_.gap_per_byte_ns;
    const auto receive = meet(here, {event.rank, sent.tag, event.node, true});
    if (!receive) return;
    if (sent.size > p_.sync_threshold) release_sender(event.rank, event.node, sent, event.time);
    over(here, schedule_.node(here, receive->node));
  }

  /// What `waiting` finds on its rank; else it waits there.
  std::optional<Waiting> meet(std::uint32_t rank, const Waiting& waiting) {
    std::optional<Waiting> found = few_[rank].take(waiting, rank, crowds_);
    if (!found) few_[rank].append(waiting, rank, crowds_);
    return found;
  }

  void release_sender(std::uint32_t rank, std::uint32_t number, const Node& like, std::uint64_t time) {
    over(rank, schedule_.node(rank, number));
    cpu(rank, like) = std::max(cpu(rank, like), time);
    nic(rank, like).send_free = std::max(nic(rank, like).send_free, time);
  }

  void begun(std::uint32_t rank, const Node& node) {
    Ready& ready = touch(rank);
    for (std::uint32_t i = 0; i < node.after_begin; ++i) one_less(ready, node.first_after_begin + i);
  }
  void over(std::uint32_t rank, const Node& node) {
    Ready& ready = touch(rank);
    ++over_;
    for (std::uint32_t i = 0; i < node.after_end; ++i) one_less(ready, node.first_after_end + i);
  }
  void one_less(Ready& ready, std::uint32_t entry) {
    const std::uint32_t node = schedule_.dependent(ready.rank, entry);
    if (required_.down(schedule_.first_node(ready.rank) + node)) ready.nodes.push_back(node);
  }
  /// Something was over, or begun, on this rank. At most two are touched by one event.
  Ready& touch(std::uint32_t rank) {
    if (touched_ > 0 && ready_[0].rank == rank) return ready_[0];
    if (touched_ > 1) return ready_[1];
    ready_[touched_].rank = rank;
    return ready_[touched_++];
  }

  /// Nodes that can begin go into the queue: sends, then receives, then computations; those of one kind as LogGOPSim's
  /// sort leaves them, which is not stable.
  void begin_ready(Ready& ready, bool first) {
    const std::uint32_t rank = ready.rank;
    if (ready.nodes.size() > 1) {
      std::sort(ready.nodes.begin(), ready.nodes.end(),
                [&](std::uint32_t a, std::uint32_t b) { return schedule_.kind(rank, a) < schedule_.kind(rank, b); });
    }
    for (const std::uint32_t number : ready.nodes) {
      const Node node = schedule_.node(rank, number);
      std::uint64_t time = first ? 0 : cpu(rank, node);
      if (!first && node.kind == Kind::Send) time = std::max(time, nic(rank, node).send_free);
      queue_.push({time, next_order(false), rank, number});
    }
    ready.nodes.clear();
  }

  /// Asks for the memory of the events that follow: they lie at ranks and nodes far from each other, and most of what
  /// an event of a large schedule costs is waiting for it.
  void fetch_ahead() const {
    constexpr std::size_t nodes = 16, ranks = 8;
    if (const Event* next = queue_.next()) {
      schedule_.prefetch(next->rank, next->node);
      __builtin_prefetch(&few_[next->rank]);
    }
    queue_.ahead(nodes, [&](const Event& event) { schedule_.prefetch(event.rank, event.node); });
    queue_.ahead(ranks, [&](const Event& event) {
      const std::uint32_t rank = event.is_message() ? schedule_.node(event.rank, event.node).peer : event.rank;
      __builtin_prefetch(&few_[rank]);
      required_.prefetch(schedule_.first_node(rank));
    });
  }

  std::uint64_t next_order(bool message) { return ordered_++ << 2 | (message ? 1 : 0); }

  LogGOPSResult result() {
    LogGOPSResult found;
    found.events = ordered_;
    found.unfinished = schedule_.nodes() - over_;
    found.unmatched = crowds_.pool.alive();
    for (const Few& few : few_) found.unmatched += few.size();
    const std::size_t cpus = schedule_.cpus();
    for (std::size_t rank = 0; rank < schedule_.ranks(); ++rank) {
      const auto begin = cpus_.begin() + static_cast<std::ptrdiff_t>(rank * cpus);
      found.end_ns.push_back(*std::max_element(begin, begin + static_cast<std::ptrdiff_t>(cpus)));
    }
    return found;
  }

  const Schedule& schedule_;
  LogGOPS p_;
  std::vector<Few> few_;
  Crowds crowds_;
  std::vector<std::unique_ptr<Lines>> lines_;  ///< of the ranks that had any
  std::vector<std::uint64_t> cpus_;            ///< by rank and processor: when it is free
  std::vector<Nic> nics_;
  Countdowns required_;  ///< by node, those of all ranks after each other
  EventRuns queue_;
  std::array<Ready, 2> ready_;
  int touched_ = 0;   ///< of these: ranks to which something happened
  bool one_of_each_;  ///< a rank has one processor and one interface
  std::uint64_t ordered_ = 0, over_ = 0;
};

}  // namespace

LogGOPS LogGOPS::parse(std::string_view text) {
  LogGOPS made;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto refuse = [&] {
      throw InputError(concat("\"", part, "\": expected one of L, o, g, G, O, S, an equals sign, and a whole number"));
    };
    if (part.size() < 3 || part[1] != '=') refuse();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data() + 2, part.data() + part.size(), value);
    constexpr std::uint64_t most = 1u << 30;
    if (error != std::errc{} || end != part.data() + part.size() || value > most) refuse();
    switch (part[0]) {
      case 'L': made.latency_ns = value; break;
      case 'o': made.overhead_ns = value; break;
      case 'g': made.gap_ns = value; break;
      case 'G': made.gap_per_byte_ns = value; break;
      case 'O': made.overhead_per_byte_ns = value; break;
      case 'S': made.sync_threshold = value; break;
      default: refuse();
    }
  }
  return made;
}

LogGOPSResult run_loggops(const Schedule& schedule, const LogGOPS& parameters, std::atomic<std::uint64_t>* progress,
                          const std::atomic<bool>* stop) {
  return Engine(schedule, parameters).run(progress, stop);
}

}  // namespace orrery::replay
