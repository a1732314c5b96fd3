// SPDX-License-Identifier: BSD-3-Clause
#include "replay/goal_source.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace orrery::replay {

using trace::goal::Kind;
using trace::goal::Node;

static void call(op::Operation& operation, op::Kind kind, op::RoutineId routine) {
  operation.kind = kind;
  operation.flags = op::FirstOfCall;
  operation.routine = routine;
}

GoalSource::GoalSource(trace::goal::Schedule schedule, const GoalRoutines& routines)
    : schedule_(std::move(schedule)), routines_(routines), ranks_(schedule_.ranks()) {
  required_.reserve(schedule_.nodes());
  for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
    for (std::uint32_t node = 0; node < schedule_.nodes(rank); ++node)
      required_.push_back(schedule_.required(rank, node));
    for (std::uint32_t i = 0; i < schedule_.roots(rank); ++i) ranks_[rank].ready.push_back(schedule_.root(rank, i));
  }
}

std::span<const std::int32_t> GoalSource::members(op::CommId /*comm*/) {
  if (members_.empty()) {
    members_.resize(ranks());
    std::iota(members_.begin(), members_.end(), 0);
  }
  return members_;
}

op::Pull GoalSource::next(WorldRank world_rank, op::Operation& operation) {
  const auto number = static_cast<std::uint32_t>(index(world_rank));
  Rank& rank = ranks_[number];
  if (rank.computing != trace::goal::any) over(number, std::exchange(rank.computing, trace::goal::any));
  take_completed(number);
  operation = {};
  if (rank.next == rank.ready.size()) {
    rank.ready.clear();
    rank.next = 0;
    if (!rank.requests.empty()) {
      call(operation, op::Kind::WaitSome, routines_.waitsome);
      operation.requests = rank.requests;
      return op::Pull::Ready;
    }
    if (rank.ended) return op::Pull::End;
    if (rank.begun < schedule_.nodes(number)) {
      throw InputError(concat("rank ", number, ": ", schedule_.nodes(number) - rank.begun,
                              " operations of the schedule never begin, as they wait for each other in a circle"));
    }
    rank.ended = true;
    call(operation, op::Kind::Finalize, routines_.finalize);
    return op::Pull::Ready;
  }
  const std::uint32_t id = rank.ready[rank.next++];
  const Node node = schedule_.node(number, id);
  given_.fetch_add(1, std::memory_order_relaxed);
  ++rank.begun;
  begun(number, node);
  if (node.kind == Kind::Compute) {
    operation.compute_s = static_cast<double>(node.size) * 1e-9;
    rank.computing = id;
    return op::Pull::Ready;
  }
  const bool sends = node.kind == Kind::Send;
  constexpr std::uint32_t tag_bits = 0x7fffffff;  // tags of GOAL have 32 bits, those of MPI 31
  if (sends) {
    call(operation, op::Kind::Isend, routines_.isend);
  } else {
    call(operation, op::Kind::Irecv, routines_.irecv);
  }
  operation.peer = node.peer == trace::goal::any ? op::any_source : static_cast<std::int32_t>(node.peer);
  operation.tag = !sends && node.tag == trace::goal::any ? op::any_tag : static_cast<std::int32_t>(node.tag & tag_bits);
  operation.bytes.count = static_cast<std::int64_t>(std::min<std::uint64_t>(node.size, INT64_MAX));
  operation.request = id + 1;
  rank.requests.push_back(operation.request);
  return op::Pull::Ready;
}

void GoalSource::reply(WorldRank world_rank, const op::Reply& reply) {
  Rank& rank = ranks_[static_cast<std::uint32_t>(index(world_rank))];
  rank.completed.assign(reply.completed.begin(), reply.completed.end());
}

/// What was complete when the rank waited last. Not before the next operation: until then the list of the wait stays.
void GoalSource::take_completed(std::uint32_t number) {
  Rank& rank = ranks_[number];
  for (const std::uint32_t position : rank.completed) {
    over(number, rank.requests[position] - 1);
    rank.requests[position] = 0;
  }
  if (!rank.completed.empty()) std::erase(rank.requests, 0);
  rank.completed.clear();
}

void GoalSource::begun(std::uint32_t rank, const Node& node) {
  for (std::uint32_t i = 0; i < node.after_begin; ++i)
    one_less(rank, schedule_.dependent(rank, node.first_after_begin + i));
}

void GoalSource::over(std::uint32_t rank, std::uint32_t number) {
  const Node node = schedule_.node(rank, number);
  for (std::uint32_t i = 0; i < node.after_end; ++i)
    one_less(rank, schedule_.dependent(rank, node.first_after_end + i));
}

void GoalSource::one_less(std::uint32_t rank, std::uint32_t number) {
  if (--required_[schedule_.first_node(rank) + number] == 0) ranks_[rank].ready.push_back(number);
}

}  // namespace orrery::replay
