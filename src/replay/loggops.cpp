// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/four_heap.hpp"
#include "kernel/event_queue.hpp"
#include "kernel/kernel.hpp"
#include "kernel/matching.hpp"

namespace orrery::replay {
namespace {

using kernel::none;
using trace::goal::Kind;
using trace::goal::Node;
using trace::goal::Schedule;

/// Something that happens, or that looks whether it can. What has to wait keeps its place among those of its new time.
struct Event {
  std::uint64_t time;
  std::uint64_t order;  ///< of what was ready first; the lowest bit says that it is a message,
                        ///< the next that it stands for all that wait for the same
  std::uint32_t rank;   ///< owner of the node; of a message its sender
  std::uint32_t node;

  [[nodiscard]] bool is_message() const { return (order & 1) != 0; }
  [[nodiscard]] bool stands_for_others() const { return (order & 2) != 0; }
  [[nodiscard]] Event for_others(std::uint64_t at) const { return {at, order | 2, rank, node}; }
  friend bool operator<(const Event& a, const Event& b) {
    return order_key(a.time, a.order) < order_key(b.time, b.order);
  }
};

/// What waits for the same processor and interface of a rank, the first that was ready on top. Only one event stands
/// for all of them in the queue: else each would look again each time that one of them goes, and n of them n² / 2
/// times.
class Line {
 public:
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] const Event& front() const { return events_.front(); }
  void push(const Event& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), later);
  }
  Event pop() {
    std::pop_heap(events_.begin(), events_.end(), later);
    const Event first = events_.back();
    events_.pop_back();
    return first;
  }

 private:
  static bool later(const Event& a, const Event& b) { return a.order > b.order; }
  std::vector<Event> events_;
};

/// A message or a receive that waits for the other.
struct Waiting : kernel::Queued {
  std::uint32_t rank = 0, node = 0;
};

/// What of one rank waits, found by source and tag; in the order of its coming, where receives may take any.
class Queue {
 public:
  void append(kernel::Pool<Waiting>& pool, std::uint32_t index, bool scanned) {
    scanned ? all_.append(pool, index) : bins_.append(pool, index);
  }
  /// The first that `matches`, or none; takes it out.
  template <class Matches>
  std::uint32_t take(kernel::Pool<Waiting>& pool, const kernel::Queued& like, bool scanned, Matches&& matches) {
    if (!scanned) {
      const std::uint32_t found = bins_.find(pool, like.context, like.source, matches);
      if (found != none) bins_.remove(pool, found);
      return found;
    }
    std::uint32_t found = all_.first;
    while (found != none && !matches(pool[found])) found = pool[found].next;
    if (found != none) all_.remove(pool, found);
    return found;
  }

 private:
  kernel::Bins bins_;
  kernel::List all_;
};

class Engine {
 public:
  Engine(const Schedule& schedule, const LogGOPS& parameters)
      : schedule_(schedule),
        p_(parameters),
        ranks_(schedule.ranks()),
        one_of_each_(schedule.cpus() == 1 && schedule.nics() == 1) {
    required_.reserve(schedule.nodes());
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
      for (std::uint32_t node = 0; node < schedule.nodes(rank); ++node) {
        required_.push_back(schedule.required(rank, node));
        if (schedule.kind(rank, node) != Kind::Receive) continue;
        const Node receive = schedule.node(rank, node);
        ranks_[rank].scanned |= receive.peer == trace::goal::any || receive.tag == trace::goal::any;
      }
    }
    cpus_.resize(std::size_t{schedule.ranks()} * schedule.cpus());
    nics_.resize(std::size_t{schedule.ranks()} * schedule.nics());
  }

  LogGOPSResult run(std::atomic<std::uint64_t>* progress, const std::atomic<bool>* stop) {
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
      for (std::uint32_t i = 0; i < schedule_.roots(rank); ++i) ready_.push_back(schedule_.root(rank, i));
      begin_ready(rank, true);
    }
    for (std::uint64_t events = 0; !queue_.empty(); ++events) {
      constexpr std::uint64_t between_looks = 1 << 14;
      if (events % between_looks == 0) {
        if (progress != nullptr) progress->store(over_, std::memory_order_relaxed);
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw kernel::Interrupted{};
      }
      happen(queue_.pop());
    }
    return result();
  }

 private:
  struct Rank {
    Line lines[3];  ///< computations, sends, messages that came
    Queue receives, messages;
    std::vector<std::uint32_t> ready;  ///< nodes that can begin since the rank was looked at last
    bool scanned = false;              ///< some receive takes any source or tag
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
    if (event.is_message()) return ranks_[node.peer].lines[2];
    return ranks_[event.rank].lines[node.kind == Kind::Send ? 1 : 0];
  }

  /// Puts off what cannot begin yet. @return whether `event`, which may have become another, begins now
  bool begins(Event& event, Node& node) {
    const std::uint64_t when = possible(event, node);
    const bool waits = when > event.time;
    if (!one_of_each_) {  // what waits for different processors does not wait in one line
      if (waits) queue_.push({when, event.order, event.rank, event.node});
      return !waits;
    }
    Line& others = line(event, node);
    if (!event.stands_for_others()) {
      if (!waits) return true;
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
    if (touched_ == 2 && touching_[0] > touching_[1]) std::swap(touching_[0], touching_[1]);
    for (int i = 0; i < touched_; ++i) {
      ready_.swap(ranks_[touching_[i]].ready);
      begin_ready(touching_[i], false);
      ranks_[touching_[i]].ready.swap(ready_);
    }
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
    Rank& rank = ranks_[event.rank];
    const kernel::Queued like = queued(node.tag, node.peer);
    const std::uint32_t found = rank.messages.take(
        waiting_, like, rank.scanned, [&](const Waiting& message) { return accepts(node.peer, node.tag, message); });
    if (found == none) return wait(rank.receives, rank.scanned, event, like);
    const Waiting message = waiting_[found];
    waiting_.give_back(found);
    if (node.size > p_.sync_threshold) release_sender(message.rank, message.node, node, event.time);
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
    Rank& rank = ranks_[here];
    const kernel::Queued like = queued(sent.tag, event.rank);
    const std::uint32_t found = rank.receives.take(waiting_, like, rank.scanned, [&](const Waiting& receive) {
      return accepts(static_cast<std::uint32_t>(receive.source), static_cast<std::uint32_t>(receive.tag), like);
    });
    if (found == none) return wait(rank.messages, rank.scanned, event, like);
    const Waiting receive = waiting_[found];
    waiting_.give_back(found);
    if (sent.size > p_.sync_threshold) release_sender(event.rank, event.node, sent, event.time);
    over(here, schedule_.node(here, receive.node));
  }

  void release_sender(std::uint32_t rank, std::uint32_t number, const Node& like, std::uint64_t time) {
    over(rank, schedule_.node(rank, number));
    cpu(rank, like) = std::max(cpu(rank, like), time);
    nic(rank, like).send_free = std::max(nic(rank, like).send_free, time);
  }

  static kernel::Queued queued(std::uint32_t tag, std::uint32_t source) {
    kernel::Queued made;
    made.context = tag;
    made.source = static_cast<std::int32_t>(source);
    made.tag = static_cast<std::int32_t>(tag);
    return made;
  }

  static bool accepts(std::uint32_t source, std::uint32_t tag, const kernel::Queued& message) {
    constexpr std::uint32_t any = trace::goal::any;
    const bool same_source = source == any || source == static_cast<std::uint32_t>(message.source);
    const bool same_tag =
        tag == any || tag == static_cast<std::uint32_t>(message.tag) || any == static_cast<std::uint32_t>(message.tag);
    return same_source && same_tag;
  }

  void wait(Queue& queue, bool scanned, const Event& event, const kernel::Queued& like) {
    const std::uint32_t index = waiting_.take();
    static_cast<kernel::Queued&>(waiting_[index]) = like;
    waiting_[index].rank = event.rank;
    waiting_[index].node = event.node;
    queue.append(waiting_, index, scanned);
  }

  void begun(std::uint32_t rank, const Node& node) {
    touch(rank);
    for (std::uint32_t i = 0; i < node.after_begin; ++i)
      one_less(rank, schedule_.dependent(rank, node.first_after_begin + i));
  }
  void over(std::uint32_t rank, const Node& node) {
    touch(rank);
    ++over_;
    for (std::uint32_t i = 0; i < node.after_end; ++i)
      one_less(rank, schedule_.dependent(rank, node.first_after_end + i));
  }
  void one_less(std::uint32_t rank, std::uint32_t node) {
    if (--required_[schedule_.first_node(rank) + node] == 0) ranks_[rank].ready.push_back(node);
  }
  /// Something was over, or begun, on this rank. At most two are touched by one event.
  void touch(std::uint32_t rank) {
    if (touched_ > 0 && touching_[0] == rank) return;
    if (touched_ > 1 && touching_[1] == rank) return;
    touching_[touched_++] = rank;
  }

  /// Nodes in `ready_` of `rank` go into the queue: sends, then receives, then computations; those of one kind as
  /// LogGOPSim's sort leaves them, which is not stable.
  void begin_ready(std::uint32_t rank, bool first) {
    if (ready_.size() > 1) {
      std::sort(ready_.begin(), ready_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return schedule_.kind(rank, a) < schedule_.kind(rank, b); });
    }
    for (const std::uint32_t number : ready_) {
      const Node node = schedule_.node(rank, number);
      std::uint64_t time = first ? 0 : cpu(rank, node);
      if (!first && node.kind == Kind::Send) time = std::max(time, nic(rank, node).send_free);
      queue_.push({time, next_order(false), rank, number});
    }
    ready_.clear();
  }

  std::uint64_t next_order(bool message) { return ordered_++ << 2 | (message ? 1 : 0); }

  LogGOPSResult result() {
    LogGOPSResult found;
    found.events = ordered_;
    found.unfinished = schedule_.nodes() - over_;
    found.unmatched = waiting_.alive();
    const std::size_t cpus = schedule_.cpus();
    for (std::size_t rank = 0; rank < schedule_.ranks(); ++rank) {
      const auto begin = cpus_.begin() + static_cast<std::ptrdiff_t>(rank * cpus);
      found.end_ns.push_back(*std::max_element(begin, begin + static_cast<std::ptrdiff_t>(cpus)));
    }
    return found;
  }

  const Schedule& schedule_;
  LogGOPS p_;
  std::vector<Rank> ranks_;
  std::vector<std::uint64_t> cpus_;  ///< by rank and processor: when it is free
  std::vector<Nic> nics_;
  std::vector<std::uint32_t> required_;  ///< by node, those of all ranks after each other
  kernel::EarliestFirst<Event> queue_;
  kernel::Pool<Waiting> waiting_;
  std::vector<std::uint32_t> ready_;
  std::uint32_t touching_[2] = {};
  int touched_ = 0;
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
