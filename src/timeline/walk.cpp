// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/walk.hpp"

#include <algorithm>

namespace orrery::timeline {

using op::Kind;
using Number = Matching::Number;

namespace {

bool has_ended(const Step& step) {
  const bool apart = step.has(op::Part) && !step.apart;
  return step.has(op::Blocking) || (step.request == 0 && !apart);
}

constexpr std::uint64_t steps_between_looks = 1024;  ///< a millisecond at most

bool is_envelope(std::int32_t peer, std::int32_t tag) { return peer >= 0 && tag != op::any_tag; }

}  // namespace

Walk::Walk(const trace::File& file, Listener& listener)
    : file_(file),
      listener_(listener),
      states_(file),
      matching_(lineage_),
      gatherings_(file, lineage_),
      order_(file.streams()) {
  ranks_.reserve(file.streams());
  for (std::uint32_t number = 0; number < file.streams(); ++number) {
    ranks_.emplace_back(file, states_, number).place = lineage_.start(number);
    schedule(number);
  }
}

void Walk::run(const std::atomic<bool>* stop) {
  for (std::uint64_t steps = 0; order_.key() != Order::over; ++steps) {
    if (steps % steps_between_looks == 0 && stop != nullptr && *stop) throw Interrupted{};
    const std::uint32_t number = order_.first();
    if (ranks_[number].inside) {
      end(number);
      schedule(number);
    } else {
      begin(number);
      order_.set(number, ranks_[number].calls.call().end_ns * 2 + 1);
    }
  }
  for (Rank& rank : ranks_) flush(rank);
}

/// The next call of the rank waits for its turn.
void Walk::schedule(std::uint32_t number) {
  Rank& rank = ranks_[number];
  rank.over = !rank.calls.next();
  order_.set(number, rank.over ? Order::over : rank.calls.call().begin_ns * 2);
}

void Walk::begin(std::uint32_t number) {
  Rank& rank = ranks_[number];
  rank.inside = true;
  const Call& call = rank.calls.call();
  rank.begun.clear();
  for (const Step& step : call.steps) {
    if (step.kind == Kind::Join) join(rank, call, step);
    rank.begun.push_back(begin_step(number, step, call.begin_ns));
    if (step.apart) ++threads_;
  }
}

Number Walk::begin_step(std::uint32_t number, const Step& step, std::int64_t ns) {
  Rank& rank = ranks_[number];
  Number side = Matching::none;
  switch (step.kind) {
    case Kind::Isend: side = send(number, step, ns); break;
    case Kind::Psend: return send_part(number, step, ns);
    case Kind::Irecv:
    case Kind::Precv: side = receive(number, step, ns); break;
    case Kind::Collective:
      gatherings_.enter(step, number, ns, rank.place);
      if (!has_ended(step)) rank.open.add(step.request, {true, Gatherings::key_of(step)});
      return side;
    default: return side;
  }
  if (!has_ended(step) && side != Matching::none) rank.open.add(step.request, {false, side});
  return side;
}

Matching::Side Walk::sent_side(std::uint32_t number, const Step& step, std::int64_t ns) {
  const Rank& rank = ranks_[number];
  return {.begin_ns = ns,
          .bytes = step.bytes,
          .operation = step.number,
          .rank = number,
          .peer = step.peer,
          .tag = step.tag,
          .comm = step.comm,
          .place = lineage_.hold(rank.place),
          .is_send = true,
          .timed = rank.calls.call().timed};
}

Number Walk::send(std::uint32_t number, const Step& step, std::int64_t ns) {
  if (step.peer < 0) return Matching::none;
  Matching::Side sent = sent_side(number, step, ns);
  sent.mode = step.mode;
  const Number side = matching_.add(sent);
  matching_.assign(side);
  if (const Number other = matching_.at(side).other; other != Matching::none && matching_.at(other).over) tell(other);
  return side;
}

/// All partitions of a request are one message, which begins with the last of them.
Number Walk::send_part(std::uint32_t number, const Step& step, std::int64_t ns) {
  Rank& rank = ranks_[number];
  if (const auto found = rank.partitioned.find(step.request); found != rank.partitioned.end()) {
    Matching::Side& whole = matching_.at(found->second);
    whole.bytes += std::clamp<std::int64_t>(step.bytes, 0, INT64_MAX - std::max<std::int64_t>(whole.bytes, 0));
    whole.begin_ns = ns;
    whole.operation = step.number;
    whole.timed = rank.calls.call().timed;
    return found->second;
  }
  Matching::Side sent = sent_side(number, step, ns);
  sent.pair = static_cast<std::uint16_t>(step.pair + 1);
  const Number side = matching_.add(sent);
  matching_.assign(side);
  rank.partitioned[step.request] = side;
  rank.open.add(step.request, {false, side});
  return side;
}

Number Walk::receive(std::uint32_t number, const Step& step, std::int64_t ns) {
  Rank& rank = ranks_[number];
  if (step.has(op::Take)) {
    const auto found = rank.taken.find({step.peer, static_cast<std::uint32_t>(step.element)});
    if (found == rank.taken.end()) return Matching::none;
    const Number side = found->second;
    rank.taken.erase(found);
    matching_.at(side).begin_ns = ns;
    matching_.at(side).operation = step.number;
    return side;
  }
  Matching::Side receive{.begin_ns = ns,
                         .bytes = step.bytes,
                         .operation = step.number,
                         .rank = number,
                         .peer = step.peer,
                         .tag = step.tag,
                         .comm = step.comm,
                         .place = lineage_.hold(rank.place)};
  if (step.kind == Kind::Precv) receive.pair = static_cast<std::uint16_t>(step.pair + 1);
  if (!is_envelope(step.peer, step.tag) && step.answered) {
    receive.peer = step.source;
    receive.tag = step.answered_tag;
  }
  const Number side = matching_.add(receive);
  if (rank.undecided.empty() && is_envelope(receive.peer, receive.tag)) {
    matching_.assign(side);
  } else {
    rank.undecided.push_back(side);
  }
  return side;
}

/// Requests of the list become part of another.
void Walk::join(Rank& rank, const Call& call, const Step& step) {
  rank.partitioned.erase(step.request);
  for (const op::RequestId request : call.requests(step)) {
    if (request == step.request) continue;
    for (Open open{}; rank.open.take(request, open);) rank.open.add(step.request, open);
  }
}

void Walk::end(std::uint32_t number) {
  Rank& rank = ranks_[number];
  rank.inside = false;
  const Call& call = rank.calls.call();
  blame_ = {};
  for (const Step& step : call.steps)
    if (step.kind == Kind::Match) match(number, step);
  for (std::size_t i = 0; i < call.steps.size(); ++i) end_step(number, i);
  settle(number);
  show(number);
}

void Walk::end_step(std::uint32_t number, std::size_t index) {
  Rank& rank = ranks_[number];
  const Call& call = rank.calls.call();
  const Step& step = call.steps[index];
  completing_ = step.number;
  const auto all = [&](bool waits) {
    for (const op::RequestId request : call.requests(step)) complete(number, request, waits);
  };
  const auto some = [&](bool waits) {
    for (const std::uint32_t position : call.completed(step))
      if (position < step.requests) complete(number, call.requests(step)[position], waits);
  };
  switch (step.kind) {
    case Kind::Isend:
    case Kind::Irecv:
      if (has_ended(step) && rank.begun[index] != Matching::none)
        complete_side(number, rank.begun[index], step.has(op::Blocking));
      return;
    case Kind::Collective:
      if (has_ended(step)) leave(number, Gatherings::key_of(step), step.has(op::Blocking));
      return;
    case Kind::WaitAll: return all(true);
    case Kind::WaitAny:
    case Kind::WaitSome: return some(true);
    case Kind::TestAll: return step.yes && !step.has(op::Peek) ? all(false) : void();
    case Kind::TestAny:
    case Kind::TestSome: return step.has(op::Peek) ? void() : some(false);
    case Kind::Probe:
    case Kind::Iprobe: return probed(number, step);
    case Kind::Cancel:
      if (step.yes) cancel(rank, call.requests(step));
      return;
    case Kind::RequestFree: return all(false);
    default: return;
  }
}

/// A probe says which message there is, and may take it out of the queue.
void Walk::probed(std::uint32_t number, const Step& step) {
  Matching::Side receive{.begin_ns = ranks_[number].calls.call().begin_ns,
                         .rank = number,
                         .peer = step.answered ? step.source : step.peer,
                         .tag = step.answered ? step.answered_tag : step.tag,
                         .comm = step.comm};
  if ((step.kind == Kind::Iprobe && !step.yes) || !is_envelope(receive.peer, receive.tag)) return;
  const Number send = matching_.waiting_for(receive);
  if (send != Matching::none && step.kind == Kind::Probe) {
    const Matching::Side& side = matching_.at(send);
    blame(side.begin_ns, side.rank, Cause::LateSender, side.place);
  }
  if (!step.has(op::Take)) return;
  receive.place = lineage_.hold(ranks_[number].place);
  const Number side = matching_.add(receive);
  matching_.assign(side);
  ranks_[number].taken[{step.source, step.sequence}] = side;
}

void Walk::cancel(Rank& rank, std::span<const std::uint32_t> requests) {
  for (const op::RequestId request : requests) {
    rank.open.each(request, [&](const Open& open) {
      const auto number = static_cast<Number>(open.which);
      if (open.collective || matching_.at(number).is_send || matching_.at(number).other != Matching::none) return;
      matching_.at(number).withdrawn = true;
      std::erase(rank.undecided, number);
    });
  }
}

void Walk::complete(std::uint32_t number, op::RequestId request, bool waits) {
  Rank& rank = ranks_[number];
  for (Open open{}; rank.open.take(request, open);) {
    if (open.collective) {
      leave(number, open.which, waits);
    } else {
      complete_side(number, static_cast<Number>(open.which), waits);
    }
  }
  rank.partitioned.erase(request);
}

void Walk::complete_side(std::uint32_t number, Number which, bool waits) {
  Matching::Side& side = matching_.at(which);
  if (side.withdrawn) return;
  if (!side.assigned) decide(ranks_[number], which);
  side.over = true;
  side.end_ns = ranks_[number].calls.call().end_ns;
  side.completed_by = completing_;
  if (!side.is_send) side.timed = ranks_[number].calls.call().timed;
  if (side.other == Matching::none) {
    if (side.is_send) learn_eager(side);
    return;
  }
  const Matching::Side& other = matching_.at(side.other);
  if (waits && (!side.is_send || waits_for_receive(side)))
    blame(other.begin_ns, other.rank, side.is_send ? Cause::LateReceiver : Cause::LateSender, other.place);
  if (!side.is_send) tell(which);
  matching_.forget(which);
}

bool Walk::waits_for_receive(const Matching::Side& send) const {
  if (send.mode == op::Mode::Synchronous) return true;
  return send.mode != op::Mode::Buffered && send.bytes > eager_bytes_;
}

/// A send that is over before its receive is posted did not wait for it, nor will others of its size.
void Walk::learn_eager(const Matching::Side& send) {
  if (send.mode == op::Mode::Buffered || static_cast<std::size_t>(send.peer) >= ranks_.size()) return;
  const Rank& to = ranks_[static_cast<std::size_t>(send.peer)];
  if (to.over || !to.undecided.empty()) return;  // it may be posted, and not known
  eager_bytes_ = std::max(eager_bytes_, send.bytes);
}

void Walk::leave(std::uint32_t number, Gatherings::Key key, bool waits) {
  if (const auto late = gatherings_.late(key, number); waits && late)
    blame(late->ns, late->rank, Cause::Imbalance, late->place);
  gatherings_.leave(key);
}

void Walk::tell(Number receive) {
  const Matching::Side& to = matching_.at(receive);
  const Matching::Side& from = matching_.at(to.other);
  ++messages_;
  listener_.message({.begin_ns = from.begin_ns,
                     .end_ns = to.end_ns,
                     .bytes = from.bytes,
                     .from = from.rank,
                     .to = to.rank,
                     .tag = from.tag,
                     .comm = from.comm,
                     .sent_by = from.operation,
                     .received_by = to.operation,
                     .completed_by = to.completed_by,
                     .timed = from.timed && to.timed});
}

/// Gives a receive its place in the channel, with those behind it that waited for that. One that does not know what it
/// took is given none.
void Walk::decide(Rank& rank, Number receive) {
  const auto give = [this](Number number) {
    const Matching::Side& side = matching_.at(number);
    if (!side.assigned && is_envelope(side.peer, side.tag)) matching_.assign(number);
  };
  give(receive);
  std::erase(rank.undecided, receive);
  std::size_t decided = 0;
  while (decided < rank.undecided.size() &&
         is_envelope(matching_.at(rank.undecided[decided]).peer, matching_.at(rank.undecided[decided]).tag))
    give(rank.undecided[decided++]);
  rank.undecided.erase(rank.undecided.begin(), rank.undecided.begin() + static_cast<std::ptrdiff_t>(decided));
}

/// A receive of any source or tag says what it took.
void Walk::match(std::uint32_t number, const Step& step) {
  Rank& rank = ranks_[number];
  if (!step.answered || !is_envelope(step.source, step.answered_tag)) return;
  rank.open.each(step.request, [&](const Open& open) {
    const auto receive = static_cast<Number>(open.which);
    if (open.collective || matching_.at(receive).is_send || matching_.at(receive).assigned) return;
    matching_.at(receive).peer = step.source;
    matching_.at(receive).tag = step.answered_tag;
    decide(rank, receive);
  });
}

/// The other side may be forgotten before the call is settled: its place is held until then.
void Walk::blame(std::int64_t until_ns, std::uint32_t by, Cause cause, Lineage::Place place) {
  if (until_ns <= blame_.until_ns) return;
  lineage_.hold(place);
  lineage_.release(blame_.place);
  blame_ = {until_ns, by, cause, place};
}

/// The rank waited from the begin of its call for the last that it needed, and goes on from there.
void Walk::settle(std::uint32_t number) {
  Rank& rank = ranks_[number];
  const Call& call = rank.calls.call();
  const std::int64_t until_ns = std::min(blame_.until_ns, call.end_ns);
  if (until_ns > call.begin_ns && blame_.by != number) {
    listener_.wait({call.begin_ns, until_ns, number, blame_.by, call.routine, blame_.cause});
    const Lineage::Place place = lineage_.follow(blame_.place, number, until_ns);
    lineage_.release(rank.place);
    rank.place = place;
  }
  lineage_.release(blame_.place);
  blame_ = {};
}

void Walk::show(std::uint32_t number) {
  Rank& rank = ranks_[number];
  const Call& call = rank.calls.call();
  listener_.state(number, State::Compute, rank.last_end_ns, call.begin_ns);
  listener_.state(number, call.state, call.begin_ns, call.end_ns);
  const bool continues = !call.first && rank.longest_ns >= 0 && rank.pending.routine == call.routine &&
                         rank.pending.end_ns == call.begin_ns && call.state != State::Compute;
  rank.last_end_ns = call.end_ns;
  if (call.end_ns > end_ns_) {
    end_ns_ = call.end_ns;
    last_ = number;
  }
  const std::int64_t length_ns = call.end_ns - call.begin_ns;
  if (continues) {
    rank.pending.end_ns = call.end_ns;
    rank.pending.bytes = std::max(rank.pending.bytes, call.bytes);
    if (length_ns > rank.longest_ns) rank.pending.state = call.state;
    rank.longest_ns = std::max(rank.longest_ns, length_ns);
    return;
  }
  flush(rank);
  if (call.state == State::Compute) return;
  rank.pending = {.begin_ns = call.begin_ns,
                  .end_ns = call.end_ns,
                  .bytes = call.bytes,
                  .rank = number,
                  .comm = call.comm,
                  .routine = call.routine,
                  .ran = call.ran,
                  .state = call.state};
  rank.longest_ns = length_ns;
}

void Walk::flush(Rank& rank) {
  if (rank.longest_ns < 0) return;
  rank.longest_ns = -1;
  ++calls_;
  listener_.interval(rank.pending);
}

void Walk::describe(Timeline& timeline) const {
  timeline.ranks = file_.streams();
  timeline.end_ns = end_ns_;
  timeline.calls = calls_;
  timeline.messages = messages_;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    timeline.operations += ranks_[number].calls.operations();
    if (ranks_[number].calls.cut_off()) timeline.cut_off.push_back(number);
  }
  const Matching::Left left = matching_.left();
  timeline.unknown = {
      .sends = left.sends, .receives = left.receives, .collectives = gatherings_.unfinished(), .threads = threads_};
}

std::vector<Lineage::Stay> Walk::critical_path() const {
  return ranks_.empty() ? std::vector<Lineage::Stay>{} : lineage_.path(ranks_[last_].place, end_ns_);
}

}  // namespace orrery::timeline
