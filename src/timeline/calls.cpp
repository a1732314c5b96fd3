// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/calls.hpp"

#include <algorithm>
#include <string_view>

#include "op/stream.hpp"

namespace orrery::timeline {

using op::Kind;
using What = trace::Decoder::What;

namespace {

/// Times beyond are those of a damaged file: more than two years.
constexpr std::int64_t latest_ns = std::int64_t{1} << 56;

State state_of(Kind kind) {
  switch (op::entry_of(kind).group) {
    case op::Group::Send: return State::Send;
    case op::Group::Receive: return State::Receive;
    case op::Group::Completion: return State::Wait;
    case op::Group::Collective: return State::Collective;
    case op::Group::OneSided: return State::OneSided;
    case op::Group::File: return State::File;
    default: return State::Other;
  }
}

/// Whether such operations may come without any routine that called them.
bool is_outside(Kind kind) {
  const op::Group group = op::entry_of(kind).group;
  return group == op::Group::Compute || group == op::Group::Phase;
}

}  // namespace

States::States(const trace::File& file) {
  for (const auto& [number, name] : file.names(ORRERY_TRACE_ROUTINES)) {
    if (number > UINT16_MAX) break;
    if (number >= by_routine_.size()) by_routine_.resize(number + 1, State::Other);
    if (name.starts_with("MPI_Win_")) by_routine_[number] = State::OneSided;
    if (name.starts_with("MPI_File_")) by_routine_[number] = State::File;
  }
}

State States::of(const op::Operation& operation) const {
  if (operation.routine == 0 && is_outside(operation.kind)) return State::Compute;
  if (operation.routine < by_routine_.size() && by_routine_[operation.routine] != State::Other)
    return by_routine_[operation.routine];
  return state_of(operation.kind);
}

Calls::Calls(const trace::File& file, const States& states, std::uint32_t rank)
    : decoder_(file, rank), states_(&states), what_(decoder_.next()) {}

bool Calls::next() {
  while (what_ == What::Answer) advance();
  if (what_ == What::End) return false;
  begin();
  do {
    add();
    advance();
    while (what_ == What::Answer) answer();
  } while (what_ == What::Operation && belongs());
  return true;
}

void Calls::advance() { what_ = decoder_.next(); }

bool Calls::belongs() const {
  const op::Operation& operation = decoder_.operation();
  if (operation.kind == Kind::Match) return true;
  if (operation.has(op::FirstOfCall)) return false;
  const trace::Beside& beside = decoder_.beside();
  return beside.end_ns < 0 ||
         (operation.routine == call_.routine && beside.begin_ns == said_begin_ns_ && beside.end_ns == said_end_ns_);
}

void Calls::begin() {
  const op::Operation& operation = decoder_.operation();
  const trace::Beside& beside = decoder_.beside();
  said_begin_ns_ = beside.begin_ns;
  said_end_ns_ = beside.end_ns;
  call_.steps.clear();
  call_.numbers.clear();
  call_.begin_ns = beside.end_ns < 0 ? last_end_ns_ : std::clamp(beside.begin_ns, last_end_ns_, latest_ns);
  call_.end_ns = last_end_ns_ = std::clamp(beside.end_ns, call_.begin_ns, latest_ns);
  call_.bytes = operation.bytes.count;
  call_.comm = operation.comm;
  call_.site = beside.site;
  call_.routine = operation.routine;
  call_.ran = static_cast<std::uint16_t>(std::min<std::uint32_t>(beside.ran, UINT16_MAX));
  call_.state = states_->of(operation);
  call_.first = operation.has(op::FirstOfCall);
  call_.timed = beside.end_ns >= 0;
}

void Calls::add() {
  const op::Operation& o = decoder_.operation();
  const auto first = static_cast<std::uint32_t>(call_.numbers.size());
  call_.numbers.insert(call_.numbers.end(), o.requests.begin(), o.requests.end());
  const auto last = static_cast<std::uint32_t>(call_.numbers.size());
  call_.steps.push_back({.kind = o.kind,
                         .mode = o.mode,
                         .collective = o.collective,
                         .flags = o.flags,
                         .pair = o.algorithm,
                         .peer = o.peer,
                         .tag = o.tag,
                         .comm = o.comm,
                         .request = o.request,
                         .bytes = o.bytes.count,
                         .element = o.element,
                         .number = operations_++,
                         .first_request = first,
                         .requests = last - first,
                         .first_completed = last,
                         .completed = 0,
                         .apart = op::is_apart(o)});
  call_.end_ns = last_end_ns_ = std::clamp(decoder_.beside().end_ns, last_end_ns_, latest_ns);
}

/// Takes what the last operation was answered. Answers of threads come too late for that, and are left out.
void Calls::answer() {
  const op::Reply& reply = decoder_.answer();
  Step& step = call_.steps.back();
  if (reply.thread == 0) {
    step.answered = true;
    step.yes = reply.flag;
    step.source = reply.source;
    step.answered_tag = reply.tag;
    step.sequence = reply.sequence;
    step.first_completed = static_cast<std::uint32_t>(call_.numbers.size());
    step.completed = static_cast<std::uint32_t>(reply.completed.size());
    call_.numbers.insert(call_.numbers.end(), reply.completed.begin(), reply.completed.end());
  }
  advance();
}

std::int64_t end_of(const trace::File& file) {
  std::int64_t end_ns = -1;
  for (std::uint32_t rank = 0; rank < file.streams(); ++rank) {
    std::int64_t of_rank_ns = -1;
    for (std::uint32_t block = file.blocks(rank); block-- > 0 && of_rank_ns < 0;) {
      trace::Decoder decoder(file, rank, block);
      for (What what = decoder.next(); what != What::End && decoder.blocks_begun() == block + 1; what = decoder.next())
        if (what == What::Operation) of_rank_ns = std::max(of_rank_ns, decoder.beside().end_ns);
    }
    end_ns = std::max(end_ns, of_rank_ns);
  }
  return std::min(end_ns, latest_ns);
}

}  // namespace orrery::timeline
