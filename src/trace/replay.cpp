// SPDX-License-Identifier: BSD-3-Clause
#include "trace/replay.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace orrery::trace {

Replay::Replay(const File& file, Match match) : match_(match) {
  ranks_.reserve(file.streams());
  for (std::uint32_t rank = 0; rank < file.streams(); ++rank) ranks_.emplace_back(file, rank);
}

op::Pull Replay::next(WorldRank world_rank, op::Operation& operation) {
  const std::int32_t number = orrery::index(world_rank);
  Rank& rank = ranks_[index(number)];
  if (!rank.insists && !ready(world_rank)) return op::Pull::NotYet;
  idle_ = 0;
  if (std::exchange(rank.insists, false)) {
    operation = rank.instead;
    return op::Pull::Ready;
  }
  for (;;) {
    switch (rank.decoder.next()) {
      case Decoder::What::End:
        if (rank.decoder.cut_off()) ++cut_off_;
        return op::Pull::End;
      case Decoder::What::Answer:
        if (const std::uint32_t thread = rank.decoder.answer().thread; thread != 0) {
          seldom(number).blocked_on = thread;
          if (!ready(world_rank)) return op::Pull::NotYet;
        }
        continue;
      case Decoder::What::Operation: break;
    }
    break;
  }
  operation = rank.decoder.operation();
  ++operations_;
  prepare(number, operation);
  return op::Pull::Ready;
}

/// The stream goes on, unless a thread that it waits for has not been answered.
bool Replay::ready(WorldRank world_rank) {
  const auto found = seldom_.find(orrery::index(world_rank));
  if (found == seldom_.end() || found->second.blocked_on == 0) return true;
  std::vector<std::uint32_t>& answered = found->second.threads_answered;
  const auto answer = std::find(answered.begin(), answered.end(), found->second.blocked_on);
  if (answer == answered.end()) return false;
  answered.erase(answer);
  found->second.blocked_on = 0;
  return true;
}

void Replay::wait(WorldRank world_rank) {
  throw InputError(concat("rank ", orrery::index(world_rank), " of the trace waits for the answer of thread ",
                          seldom(orrery::index(world_rank)).blocked_on, ", which has asked for nothing"));
}

void Replay::wait_for_any(double /*longest_s*/) {
  if (++idle_ > 1000 + 16 * ranks_.size())
    throw InputError("threads of the trace's ranks wait for each other: no rank can go on");
}

void Replay::reply(WorldRank world_rank, const op::Reply& reply) {
  const std::int32_t number = orrery::index(world_rank);
  Rank& rank = ranks_[index(number)];
  idle_ = 0;
  if (reply.thread != 0) return seldom(number).threads_answered.push_back(reply.thread);
  rank.insists = std::exchange(rank.wants_yes, false) && !reply.flag;
  if (!rank.insists && std::exchange(rank.takes, false)) {
    seldom(number).taken.push_back({rank.recorded.source, reply.source, rank.recorded.sequence, reply.sequence});
  }
}

/// Takes the answer that follows in the stream, if there is one.
bool Replay::read_answer(std::int32_t number) {
  Rank& rank = ranks_[index(number)];
  rank.recorded = {};
  if (!rank.decoder.answer_follows() || rank.decoder.next() != Decoder::What::Answer) return false;
  if (const std::uint32_t thread = rank.decoder.answer().thread; thread != 0) {
    seldom(number).blocked_on = thread;
    return false;
  }
  rank.recorded = rank.decoder.answer();
  return true;
}

/// What a thread that begins to wait now was answered.
op::Reply Replay::answer_of_thread(const Rank& rank, std::uint32_t thread) {
  Decoder ahead = rank.decoder;
  for (;;) {
    const Decoder::What what = ahead.next();
    if (what == Decoder::What::End) return {};
    if (what == Decoder::What::Answer && ahead.answer().thread == thread) break;
  }
  op::Reply found = ahead.answer();
  completed_.assign(found.completed.begin(), found.completed.end());
  found.completed = completed_;
  return found;
}

/// What a receive that is posted now was told when it asked for its match.
op::Reply Replay::match_of(const Rank& rank, op::RequestId request) {
  Decoder ahead = rank.decoder;
  bool asked = false;
  for (;;) {
    switch (ahead.next()) {
      case Decoder::What::End: return {};
      case Decoder::What::Answer:
        if (asked) return ahead.answer();
        break;
      case Decoder::What::Operation:
        asked = ahead.operation().kind == op::Kind::Match && ahead.operation().request == request;
        break;
    }
  }
}

void Replay::prepare(std::int32_t number, op::Operation& operation) {
  Rank& rank = ranks_[index(number)];
  rank.wants_yes = rank.takes = false;
  bool answered = false;
  if (op::is_apart(operation)) {
    if (operation.kind == op::Kind::WaitAny || operation.kind == op::Kind::WaitSome) {
      rank.recorded = answer_of_thread(rank, operation.request);
      answered = !rank.recorded.completed.empty();
    }
  } else if (op::wants_reply(operation)) {
    answered = read_answer(number);
  }
  switch (operation.kind) {
    case op::Kind::TestAll:
    case op::Kind::TestAny:
    case op::Kind::TestSome: return prepare_test(rank, operation, answered);
    case op::Kind::WaitAny:
    case op::Kind::WaitSome:
      if (answered) only_completed(rank, operation, op::Kind::WaitAll);
      return;
    case op::Kind::Probe:
    case op::Kind::Iprobe: return prepare_probe(rank, operation, answered);
    case op::Kind::Irecv: return prepare_receive(number, operation, answered);
    default: return;
  }
}

/// Narrows a wait or test to the requests that were complete then.
void Replay::only_completed(Rank& rank, op::Operation& operation, op::Kind kind) {
  rank.requests.clear();
  for (const std::uint32_t position : rank.recorded.completed) {
    if (position < operation.requests.size()) rank.requests.push_back(operation.requests[position]);
  }
  operation.kind = kind;
  operation.requests = rank.requests;
}

void Replay::prepare_test(Rank& rank, op::Operation& operation, bool answered) {
  if (!answered || !rank.recorded.flag || operation.has(op::Peek)) {
    operation.flags |= op::Peek;
    return;
  }
  only_completed(rank, operation, op::Kind::TestAll);
  rank.wants_yes = true;
  rank.instead = operation;
  rank.instead.kind = op::Kind::WaitAll;
  rank.instead.compute_s = 0;
  rank.instead.flags &= static_cast<std::uint8_t>(~op::FirstOfCall);
}

void Replay::prepare_probe(Rank& rank, op::Operation& operation, bool answered) {
  const bool found = answered && rank.recorded.flag;
  if (!found && operation.kind == op::Kind::Iprobe) operation.flags &= static_cast<std::uint8_t>(~op::Take);
  if (!found) return;
  if (match_ == Match::Recorded) {
    operation.peer = rank.recorded.source;
    operation.tag = rank.recorded.tag;
  }
  rank.takes = operation.has(op::Take);
  if (operation.kind == op::Kind::Probe) return;
  rank.wants_yes = true;
  rank.instead = operation;
  rank.instead.kind = op::Kind::Probe;
  rank.instead.compute_s = 0;
  rank.instead.flags &= static_cast<std::uint8_t>(~op::FirstOfCall);
}

void Replay::prepare_receive(std::int32_t number, op::Operation& operation, bool answered) {
  Rank& rank = ranks_[index(number)];
  if (operation.has(op::Take)) {
    std::vector<Taken>& taken = seldom(number).taken;
    const auto found = std::find_if(taken.begin(), taken.end(), [&](const Taken& message) {
      return message.source_then == operation.peer &&
             message.sequence_then == static_cast<std::uint32_t>(operation.element);
    });
    if (found == taken.end()) return;
    operation.peer = found->source_now;
    operation.element = found->sequence_now;
    taken.erase(found);
    return;
  }
  if (match_ != Match::Recorded || !operation.has(op::WantsMatch)) return;
  op::Reply then = rank.recorded;
  if (op::is_apart(operation))
    then = answer_of_thread(rank, operation.request);
  else if (!answered)
    then = match_of(rank, operation.request);
  if (then.source < 0) return;
  operation.peer = then.source;
  operation.tag = then.tag;
}

}  // namespace orrery::trace
