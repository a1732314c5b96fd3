// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "collective/call_of.hpp"
#include "collective/parts/late.hpp"
#include "kernel/state.hpp"

/// How a cursor goes through its stream.
namespace orrery::kernel {
namespace {

/// Operations that only move the cursor's own clock give the same times when they are begun ahead of the present: that
/// spares a visit to the event queue. A wait is one, because each request that completes moves the clock to max(clock,
/// completion) + overhead, whenever the wait began.
bool only_own_clock(const op::Operation& operation) {
  if (op::is_apart(operation)) return false;
  switch (operation.kind) {
    case op::Kind::Nothing:
    case op::Kind::Sleep:
    case op::Kind::Clock:  // so that a rank which asks for the time need not wait for those that are behind it
    case op::Kind::Reduce:
    case op::Kind::Copy:
    case op::Kind::FileMetadata:
    case op::Kind::WaitAll: return true;
    default: return false;
  }
}

/// Seconds after which a rank that is at `from` is at `to`, to the last bit.
Duration exactly_between(SimTime from, SimTime to) {
  double seconds = to.s - from.s;
  while (from.s + seconds < to.s) seconds = std::nextafter(seconds, to.s);
  while (from.s + seconds > to.s) seconds = std::nextafter(seconds, 0.0);
  return Duration{seconds};
}

}  // namespace

/// Where ranks share processors, what a wait costs depends on the others, who must have had their turns. Where requests
/// are seen in calls only, nothing may be seen before a wait begins.
bool Simulation::State::may_begin_early(const Cursor& cursor) const {
  const op::Operation& operation = *cursor.current;
  if (operation.kind == op::Kind::WaitAll && (processors.shared() || attention.in_calls())) return false;
  if (operation.kind == op::Kind::Sleep && processors.shared()) return false;
  if (operation.kind == op::Kind::Irecv) return takes_what_is_there(cursor);
  return only_own_clock(operation);
}

/// Inside a collective, and in a stream that does not depend on others, the next operation is known without waiting for
/// anyone, so it may be looked at before its time.
bool Simulation::State::reads_ahead(const Cursor& cursor) const {
  return cursor.frame != none || (known_ahead && cursor.serial == 0);
}

/// Whether all comes out the same when the cursor goes on before its time, as far as it can without the others. That
/// spares half of the visits to the event queue, and an eighth of the time of a replay of small messages.
bool Simulation::State::goes_ahead(const Cursor& cursor) const {
  return !processors.shared() && !attention.in_calls() && reads_ahead(cursor);
}

void Simulation::State::schedule(std::uint32_t index) {
  const Cursor& cursor = cursors[index];
  queue.push(Event::cursor(cursor.clock, index, cursor.rank, cursor.serial));
}

/// Does all that the cursor can do at this instant.
void Simulation::State::step(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  for (;;) {
    if (processors.shared() && lacks_turn(index)) return;
    switch (cursor.state) {
      case Cursor::State::Ready:
        if (cursor.clock > now && !reads_ahead(cursor)) return schedule(index);
        if (!fetch(index)) return schedule(index);
        break;
      case Cursor::State::Computes:
        if (cursor.clock > now) return schedule(index);
        compute(index);
        if (cursor.waited) return;
        break;
      case Cursor::State::Begins:
        if (cursor.clock > now && !may_begin_early(cursor)) return schedule(index);
        begin(index);
        break;
      case Cursor::State::Leaves:
        if (cursor.clock > now) return schedule(index);
        end_frame(cursor);
        break;
      case Cursor::State::Wakes:
        if (cursor.clock > now) return schedule(index);
        wake(index);
        break;
      case Cursor::State::Resumes:
        attend(cursor);
        resume(index);
        break;
      case Cursor::State::Waits:
      case Cursor::State::Parked:
        attend(cursor);
        if (processors.shared()) rest(index);
        return;
      case Cursor::State::Ended:
        attend(cursor);
        if (processors.has(index)) leave(index);
        if (cursor.serial != 0) cursors.give_back(index);
        return;
    }
  }
}

/// Those that have got what they waited for go as far as they can before their time. Nothing of theirs is due now.
void Simulation::State::go_ahead() {
  for (std::size_t i = 0; i < resumed.size(); ++i) {
    stepping = resumed[i];
    step(resumed[i]);
  }
  stepping = none;
  resumed.clear();
}

/// Reads the next operation, of the collective that the cursor is in or else of the rank's stream. False: that is
/// not known before its time.
bool Simulation::State::fetch(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  if (cursor.frame != none) {
    cursor.current = frames[cursor.frame].script.next();
    cursor.state = cursor.current != nullptr ? Cursor::State::Begins : Cursor::State::Leaves;
    return true;
  }
  if (cursor.thread != 0) {
    end_apart(cursor);
    return true;
  }
  for (;;) {
    switch (streams.next(WorldRank{cursor.rank}, cursor.operation)) {
      case op::Pull::NotYet:
        if (cursor.clock > now) return false;
        if (!await(index)) return true;
        continue;
      case op::Pull::End: finish(cursor); return true;
      case op::Pull::Ready: break;
    }
    break;
  }
  const double seconds = cursor.operation.compute_s;
  if (seconds > 0) {
    const Duration computed{seconds * config.compute_factor[static_cast<std::size_t>(cursor.rank)]};
    if (processors.shared()) {
      cursor.to_compute = computed;
      cursor.current = &cursor.operation;
      cursor.state = Cursor::State::Computes;
      return true;
    }
    account(cursor, 0, computed);
    cursor.clock += computed;
  }
  if (cursor.clock < now) {  // a thread that was not waited for
    if (config.observer != nullptr) config.observer->late(cursor.rank, exactly_between(cursor.clock, now));
    cursor.clock = now;
  }
  cursor.begun = cursor.clock;
  cursor.current = &cursor.operation;
  cursor.state = Cursor::State::Begins;
  return true;
}

void Simulation::State::finish(Cursor& cursor) {
  cursor.state = Cursor::State::Ended;
  ranks[static_cast<std::size_t>(cursor.rank)].end = cursor.clock;
  --alive;
}

/// The present operation is over at `cursor.clock`, which may lie ahead of now by what the processor still has to do.
void Simulation::State::go_on(Cursor& cursor) {
  cursor.state = Cursor::State::Ready;
  if (cursor.frame != none) return;  // accounted as a whole when the collective ends
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  auto& line = rank.profile.line(rank.phases.empty() ? 0 : rank.phases.back(), cursor.operation.routine);
  line.time += cursor.clock - cursor.begun;
  if (cursor.operation.has(op::FirstOfCall)) ++line.calls;
  if (config.observer != nullptr)
    config.observer->happened(cursor.rank, cursor.thread, cursor.operation, cursor.begun, cursor.clock);
}

void Simulation::State::answer(Cursor& cursor, op::Reply reply) {
  if (cursor.frame != none) return;
  if (cursor.thread != 0) return answer_thread(cursor, reply);
  reply.now = cursor.clock;
  streams.reply(WorldRank{cursor.rank}, reply);
}

void Simulation::State::begin(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  const op::Operation& operation = *cursor.current;
  RankState& rank = ranks[static_cast<std::size_t>(cursor.rank)];
  if (op::is_apart(operation)) return begin_apart(index);
  switch (operation.kind) {
    case op::Kind::Nothing: return go_on(cursor);
    case op::Kind::Sleep:
      if (operation.has(op::Late)) {
        cursor.clock += Duration{std::bit_cast<double>(operation.element)};
        pause(index);
        cursor.state = Cursor::State::Ready;
        return;
      }
      cursor.clock += Duration{static_cast<double>(operation.bytes.count) * 1e-9};
      pause(index);
      return go_on(cursor);
    case op::Kind::Isend:
    case op::Kind::Psend: return begin_send(index);
    case op::Kind::Join: return begin_join(cursor);
    case op::Kind::Precv: return begin_partitioned_receive(cursor);
    case op::Kind::Arrived: return answer_arrived(cursor);
    case op::Kind::Irecv: return begin_receive(index);
    case op::Kind::WaitAll: return begin_wait_all(index);
    case op::Kind::WaitAny:
    case op::Kind::WaitSome: return begin_wait_some(index);
    case op::Kind::TestAll:
    case op::Kind::TestAny:
    case op::Kind::TestSome: return test(index);
    case op::Kind::Probe:
    case op::Kind::Iprobe: return probe(index);
    case op::Kind::Cancel: return cancel(cursor);
    case op::Kind::RequestFree: return free_request(cursor);
    case op::Kind::Collective: return begin_collective(index);
    case op::Kind::Match: return answer_match(cursor);
    case op::Kind::Clock: answer(cursor, {}); return go_on(cursor);
    case op::Kind::Service: return begin_service(cursor);
    case op::Kind::CommFree: {
      if (operation.comm >= freed_comms.size()) freed_comms.resize(operation.comm + 1);
      if (++freed_comms[operation.comm] == groups.members(operation.comm).size()) {
        freed_comms[operation.comm] = 0;
        locks.erase(operation.comm);
        files.erase(operation.comm);
        places.erase(operation.comm);
        groups.release(operation.comm);
      }
      return go_on(cursor);
    }
    case op::Kind::Put:
    case op::Kind::Get:
    case op::Kind::Accumulate:
    case op::Kind::GetAccumulate: return begin_one_sided(index);
    case op::Kind::Lock:
    case op::Kind::Unlock: return begin_lock(index);
    case op::Kind::FileRead:
    case op::Kind::FileWrite: return begin_access(index);
    case op::Kind::FileMetadata: return use_metadata(cursor);
    case op::Kind::FilePosition: return move_shared_position(cursor);
    case op::Kind::FileLock: return lock_file(index);
    case op::Kind::FileUnlock: return unlock_file(cursor);
    case op::Kind::Reduce:
      cursor.clock += Duration{static_cast<double>(operation.bytes.count) * config.reduce_s_per_byte};
      return go_on(cursor);
    case op::Kind::Copy:
      cursor.clock += Duration{static_cast<double>(operation.bytes.count) * config.copy_s_per_byte};
      return go_on(cursor);
    case op::Kind::PhaseBegin:
      go_on(cursor);
      rank.phases.push_back(static_cast<std::uint32_t>(operation.tag));
      return;
    case op::Kind::PhaseEnd:
      if (rank.phases.empty()) bad_stream(cursor, "a phase ends that never began");
      go_on(cursor);
      rank.phases.pop_back();
      return;
    case op::Kind::Finalize:
      go_on(cursor);
      answer(cursor, {});
      return finish(cursor);
  }
  bad_stream(cursor, concat("unknown operation ", static_cast<int>(operation.kind)));
}

/// Null where nothing is known.
const collective::Places* Simulation::State::places_of(op::CommId comm, std::span<const std::int32_t> members) {
  if (config.levels.empty()) return nullptr;
  const auto found = places.find(comm);
  if (found != places.end()) return &found->second;
  std::vector<collective::Places::Level> levels;
  for (const collective::Places::Level& level : config.levels) {
    collective::Places::Level& of_ranks = levels.emplace_back();
    of_ranks.name = level.name;
    for (const std::int32_t member : members)
      of_ranks.part_of_rank.push_back(level.part_of_rank[static_cast<std::size_t>(member)]);
  }
  const auto size = static_cast<int>(members.size());
  return &places.emplace(comm, collective::Places(size, std::move(levels))).first->second;
}

/// Whether the algorithm of a collective may have to know which ranks are near each other.
bool Simulation::State::needs_places(const op::Operation& operation) const {
  const std::span<const collective::Algorithm> all = collective::algorithms();
  const std::size_t number = operation.algorithm;
  if (number > 0 && number <= all.size()) return all[number - 1].topology;
  if (number > all.size() && number - all.size() <= config.choices.size() &&
      config.choices[number - all.size() - 1].algorithm->topology)
    return true;
  return selector.needs_places();
}

/// What the operation itself says, or else the selector.
collective::Choice Simulation::State::choose(const Cursor& cursor, const collective::Call& call) const {
  const std::span<const collective::Algorithm> all = collective::algorithms();
  const std::size_t number = cursor.current->algorithm;
  if (number == 0) return selector.choose(call);
  if (number <= all.size()) {
    const collective::Algorithm& algorithm = all[number - 1];
    if (!algorithm.accepts(call))
      bad_stream(cursor, concat(algorithm.name, " does not accept this call of ", collective::name(call.kind)));
    return {.algorithm = &algorithm};
  }
  if (number - all.size() > config.choices.size()) bad_stream(cursor, "an unknown collective algorithm");
  collective::Choice choice = config.choices[number - all.size() - 1];
  if (choice.algorithm->kind != call.kind || !choice.algorithm->accepts(choice.applied_to(call)))
    return selector.choose(call);
  choice.parts = &selector;
  return choice;
}

void Simulation::State::begin_collective(std::uint32_t index) {
  Cursor& cursor = cursors[index];
  const op::Operation& operation = *cursor.current;
  if (cursor.frame != none) bad_stream(cursor, "a collective inside a collective algorithm");
  const auto members = groups.members(operation.comm);
  const std::size_t first_group = groups.first_group(operation.comm);
  std::optional<collective::OwnCall> own = collective::call_of(operation, members, first_group, cursor.rank);
  if (!own) {
    bad_stream(cursor, concat("a collective on communicator ", operation.comm, ", of which the rank is no member"));
  }
  const std::uint32_t frame_index = frames.take();
  Frame& frame = frames[frame_index];
  frame.context = collective_context(operation.comm, operation.tag);
  frame.members = members;
  frame.first_member = own->first_member;
  frame.routine = operation.routine;
  frame.comm = operation.comm;

  collective::Call& call = own->call;
  if (first_group == 0 && needs_places(operation)) call.places = places_of(operation.comm, members);
  if (!operation.has(op::Blocking)) {
    frame.counts.assign(operation.counts.begin(), operation.counts.end());
    call.counts = frame.counts;
  }
  call.late_ns = std::llround(config.nonblocking.s * 1e9);
  elements.agree(frame.context, own->first_member + static_cast<std::size_t>(call.self), members.size(), call);
  const collective::Choice choice = choose(cursor, call);
  if (choice.algorithm->topology && call.places == nullptr)
    bad_stream(cursor, concat(choice.algorithm->name, " needs to know where the ranks are"));
  if (config.observer != nullptr) config.observer->chose(cursor.rank, operation, choice);
  frame.script = collective::stream_as_seen(choice, call);
  frame.use = algorithm_uses.find(operation.routine, choice);
  ++algorithm_uses[frame.use].calls;

  if (operation.has(op::Blocking)) {
    cursor.frame = frame_index;
    cursor.state = Cursor::State::Ready;
    return;
  }
  const std::uint32_t request_index = requests.take();
  Request& request = requests[request_index];
  request.kind = Request::Kind::Collective;
  request.rank = cursor.rank;
  request.context = frame.context;
  request.peer = op::any_source;
  slot(cursor, operation.request) = request_index;
  frame.request = request_index;

  const std::uint32_t background = cursors.take();
  Cursor& other = cursors[background];
  other.rank = cursor.rank;
  other.serial = ++ranks[static_cast<std::size_t>(cursor.rank)].collectives;
  other.clock = cursor.clock;
  other.frame = frame_index;
  schedule(background);
  go_on(cursor);
}

void Simulation::State::end_frame(Cursor& cursor) {
  const std::uint32_t frame_index = std::exchange(cursor.frame, none);
  Frame& frame = frames[frame_index];
  for (const std::uint32_t request : frame.requests) {
    if (request != none) bad_stream(cursor, "a collective algorithm ended without waiting for all its requests");
  }
  const std::uint32_t request = frame.request;
  frame.reset();
  frames.give_back(frame_index);
  if (cursor.serial == 0 || cursor.thread != 0) {
    cursor.current = &cursor.operation;
    return go_on(cursor);
  }
  cursor.state = Cursor::State::Ended;
  complete(request);
}

}  // namespace orrery::kernel
