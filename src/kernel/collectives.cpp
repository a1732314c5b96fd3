// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/collectives.hpp"

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "collective/call_of.hpp"
#include "collective/parts/late.hpp"

namespace orrery::kernel {
namespace {

constexpr double ns_per_s = 1e9;

}  // namespace

Collectives::Collectives(const Config& config, Cursors& cursors, Frames& frames, Requests& requests,
                         const collective::Selector& selector, Groups& groups)
    : config_(config), cursors_(cursors), frames_(frames), requests_(requests), selector_(selector), groups_(groups) {}

void Collectives::begin(CursorIndex index) {
  Cursor& cursor = cursors_[index];
  if (cursor.frame != none) bad_stream(cursor, "a collective inside a collective algorithm");
  const FrameIndex frame = open_frame(cursor);
  if (!cursor.current->has(op::Blocking)) return begin_in_background(cursor, frame);
  cursor.frame = frame;
  cursor.state = Cursor::State::Ready;
}

/// The call of the cursor's present operation, with its algorithm.
FrameIndex Collectives::open_frame(const Cursor& cursor) {
  const op::Operation& operation = *cursor.current;
  const auto members = groups_.members(operation.comm);
  const std::size_t first_group = groups_.first_group(operation.comm);
  std::optional<collective::OwnCall> own = collective::call_of(operation, members, first_group, cursor.rank);
  if (!own)
    bad_stream(cursor, concat("a collective on communicator ", operation.comm, ", of which the rank is no member"));
  const FrameIndex index = frames_.take();
  Frame& frame = frames_[index];
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
  call.late_ns = std::llround(config_.nonblocking.s * ns_per_s);
  elements_.agree(frame.context, own->first_member + static_cast<std::size_t>(call.self), members.size(), call);
  choose_algorithm(cursor, frame, call);
  return index;
}

void Collectives::choose_algorithm(const Cursor& cursor, Frame& frame, collective::Call& call) {
  const collective::Choice choice = choose(cursor, call);
  if (choice.algorithm->topology && call.places == nullptr)
    bad_stream(cursor, concat(choice.algorithm->name, " needs to know where the ranks are"));
  if (config_.observer != nullptr) config_.observer->chose(cursor.rank, *cursor.current, choice);
  frame.script = collective::stream_as_seen(choice, call);
  frame.use = frames_.uses.find(frame.routine, choice);
  AlgorithmUse& use = frames_.uses[frame.use];
  ++use.calls;
  if (choice.by == collective::Decider::Rules) ++use.ruled;
}

/// A non-blocking call: another cursor goes through the algorithm, and completes a request at its end.
void Collectives::begin_in_background(Cursor& cursor, FrameIndex frame_index) {
  Frame& frame = frames_[frame_index];
  const RequestIndex request_index = requests_.take(cursor, Request::Kind::Collective);
  Request& request = requests_[request_index];
  request.context = frame.context;
  request.peer = op::any_source;
  requests_.slot(cursor, cursor.current->request) = request_index;
  frame.request = request_index;

  const CursorIndex background = cursors_.fork(cursor.rank);
  Cursor& other = cursors_[background];
  other.clock = cursor.clock;
  other.frame = frame_index;
  cursors_.schedule(background);
  cursors_.go_on(cursor);
}

void Collectives::end(Cursor& cursor) {
  const FrameIndex frame_index = std::exchange(cursor.frame, none);
  Frame& frame = frames_[frame_index];
  for (const RequestIndex request : frame.requests) {
    if (request != none) bad_stream(cursor, "a collective algorithm ended without waiting for all its requests");
  }
  const RequestIndex request = frame.request;
  frame.reset();
  frames_.give_back(frame_index);
  if (cursor.serial == 0 || cursor.thread != 0) {
    cursor.current = &cursor.operation;
    return cursors_.go_on(cursor);
  }
  cursor.state = Cursor::State::Ended;
  requests_.complete(request);
}

/// What the operation itself says, or else the selector.
collective::Choice Collectives::choose(const Cursor& cursor, const collective::Call& call) const {
  const std::span<const collective::Algorithm> all = collective::algorithms();
  const std::size_t number = cursor.current->algorithm;
  if (number == 0) return selector_.choose(call);
  if (number <= all.size()) {
    const collective::Algorithm& algorithm = all[number - 1];
    if (!algorithm.accepts(call))
      bad_stream(cursor, concat(algorithm.name, " does not accept this call of ", collective::name(call.kind)));
    return {.algorithm = &algorithm};
  }
  if (number - all.size() > config_.choices.size()) bad_stream(cursor, "an unknown collective algorithm");
  collective::Choice choice = config_.choices[number - all.size() - 1];
  const std::string_view why = choice.algorithm->refusal(choice.applied_to(call));
  if (!why.empty()) {
    const std::string_view recorded = choice.algorithm->name;
    choice = selector_.choose(call);
    if (choice.instead_of.algorithm.empty())
      choice.instead_of = {.algorithm = recorded, .why = why, .by = collective::Decider::Trace};
    return choice;
  }
  choice.by = collective::Decider::Trace;
  choice.parts = &selector_;
  return collective::after_hand_overs(choice, call);
}

/// Whether the algorithm of a collective may have to know which ranks are near each other.
bool Collectives::needs_places(const op::Operation& operation) const {
  const std::span<const collective::Algorithm> all = collective::algorithms();
  const std::size_t number = operation.algorithm;
  if (number > 0 && number <= all.size()) return all[number - 1].topology;
  if (number > all.size() && number - all.size() <= config_.choices.size() &&
      config_.choices[number - all.size() - 1].algorithm->topology)
    return true;
  return selector_.needs_places();
}

/// Null where nothing is known.
const collective::Places* Collectives::places_of(op::CommId comm, std::span<const std::int32_t> members) {
  if (config_.levels.empty()) return nullptr;
  const auto found = places_.find(comm);
  if (found != places_.end()) return &found->second;
  std::vector<collective::Places::Level> levels;
  for (const collective::Places::Level& level : config_.levels) {
    collective::Places::Level& of_ranks = levels.emplace_back();
    of_ranks.name = level.name;
    for (const std::int32_t member : members)
      of_ranks.part_of_rank.push_back(level.part_of_rank[static_cast<std::size_t>(member)]);
  }
  const auto size = static_cast<int>(members.size());
  return &places_.emplace(comm, collective::Places(size, std::move(levels))).first->second;
}

}  // namespace orrery::kernel
