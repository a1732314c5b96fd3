// SPDX-License-Identifier: BSD-3-Clause
#include "replay/trace_source.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "collective/fixed.hpp"
#include "replay/check.hpp"

namespace orrery::replay {
TraceSource::TraceSource(std::shared_ptr<const trace::File> file, Options options)
    : file_(std::move(file)),
      options_(std::move(options)),
      replay_(*file_, options_.match),
      scale_(options_.bytes_factor) {
  if (const std::string_view routine = file_->property("not_captured"); !routine.empty()) {
    throw InputError(concat(file_->path(), ": the program called ", routine,
                            ", and what ranks of the other side did was ",
                            "not captured: it cannot be replayed; `orrery profile` says where its time went"));
  }
  for (const auto& [comm, communicator] : file_->communicators()) comms_ = std::max(comms_, comm + 1);
  constexpr op::CommId most = 1u << 26;  // the kernel keeps four bytes for each number
  if (comms_ > most || comms_ == 0) throw InputError(concat(file_->path(), ": numbers communicators above ", most));
  if (options_.recorded_algorithms.any()) read_algorithms();
}

/// A name may stand for algorithms of several kinds. One that no kind has here, or that has options which it does not
/// take, is left to the selector.
void TraceSource::read_algorithms() {
  const std::size_t registry = collective::algorithms().size();
  for (const auto& [number, text] : file_->names(ORRERY_TRACE_ALGORITHMS)) {
    std::array<std::uint16_t, op::collective_kinds>& of_kind = algorithm_of_[number];
    bool known = false;
    for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
      const std::optional<collective::Choice> choice =
          collective::recognised(static_cast<op::CollectiveKind>(kind), text);
      known |= choice.has_value();
      if (!choice || !options_.recorded_algorithms.test(kind)) continue;
      if (registry + choices_.size() >= UINT16_MAX)
        throw InputError(concat(file_->path(), ": names too many algorithms of collectives"));
      choices_.push_back(*choice);
      of_kind[kind] = static_cast<std::uint16_t>(registry + choices_.size());
    }
    if (!known) unknown_.push_back(text);
  }
}

std::vector<std::string> TraceSource::cautions() const {
  if (unknown_.empty()) return {};
  return {concat(file_->path(), ": ", unknown_.size(), " algorithms of collectives are not known here, such as ",
                 unknown_[0], ": the selector chooses in their stead")};
}

std::vector<kernel::ProfileRow> TraceSource::local_calls() const {
  const auto place = [](const kernel::ProfileRow& row) { return std::tuple(row.rank, row.phase, row.routine); };
  std::vector<kernel::ProfileRow> rows;
  for (std::uint32_t rank = 0; rank < file_->streams(); ++rank) {
    for (const orrery_trace_local_calls& local : file_->local_calls(rank)) {
      auto routine = static_cast<op::RoutineId>(local.routine);
      if (!options_.routine_of.empty())
        routine = routine < options_.routine_of.size() ? options_.routine_of[routine] : op::RoutineId{0};
      if (local.calls == 0 || routine == 0) continue;
      rows.push_back({.rank = rank, .phase = local.phase, .routine = routine, .calls = local.calls, .messages = 0});
    }
  }
  std::ranges::sort(rows, {}, place);
  return rows;
}

op::Pull TraceSource::next(WorldRank rank, op::Operation& operation) {
  const op::Pull pull = replay_.next(rank, operation);
  if (pull != op::Pull::Ready) return pull;
  constexpr std::uint64_t often = 1024;
  if (replay_.operations() % often == 0) given_.store(replay_.operations(), std::memory_order_relaxed);
  if (!options_.routine_of.empty()) {
    operation.routine =
        operation.routine < options_.routine_of.size() ? options_.routine_of[operation.routine] : op::RoutineId{0};
  }
  if (operation.kind == op::Kind::Collective && !choices_.empty() && operation.algorithm == 0) {
    const auto ran = algorithm_of_.find(replay_.algorithm(index(rank)));
    const auto kind = static_cast<std::size_t>(operation.collective);
    if (ran != algorithm_of_.end() && kind < ran->second.size()) operation.algorithm = ran->second[kind];
  }
  check(index(rank), operation, *this, capacity());
  check_requests(index(rank), operation);
  scale_.apply(index(rank), operation);
  return pull;
}

/// The kernel keeps four bytes for each number of a request up to the largest: a few bytes must not ask for all memory.
void TraceSource::check_requests(std::int32_t rank, const op::Operation& operation) const {
  constexpr std::uint64_t without_bytes = 65536;  // of what a slice has left out
  const std::uint64_t most = file_->size() + without_bytes;
  op::RequestId largest = op::is_apart(operation) ? 0 : operation.request;
  if (op::is_one_sided(operation.kind)) largest = std::max(largest, static_cast<op::RequestId>(operation.tag));
  for (const op::RequestId request : operation.requests) largest = std::max(largest, request);
  if (largest > most)
    throw InputError(concat("rank ", rank, " of the trace: has a request ", largest, ", of which a file of ",
                            file_->size(), " bytes cannot have so many"));
}

std::span<const std::int32_t> TraceSource::members(op::CommId comm) {
  const auto [found, fresh] = members_.try_emplace(comm);
  std::vector<std::int32_t>& members = found->second;
  if (!fresh) return members;
  const trace::File::Communicator* known = file_->communicator(comm);
  if (known == nullptr) {
    if (comm != 0) return {};
    members.resize(ranks());
    std::iota(members.begin(), members.end(), 0);
    return members;
  }
  members.reserve(known->size);
  for (const trace::File::Run& run : known->runs) {
    for (std::uint32_t i = 0; i < run.length; ++i) {
      const std::int64_t member = run.first + (i == 0 ? 0 : run.apart * i);
      if (member < 0 || member >= capacity())
        throw InputError(
            concat(file_->path(), ": communicator ", comm, " has member ", member, ", which does not exist"));
      members.push_back(static_cast<std::int32_t>(member));
    }
  }
  return members;
}

std::size_t TraceSource::first_group(op::CommId comm) {
  const trace::File::Communicator* known = file_->communicator(comm);
  return known == nullptr ? 0 : known->first_group;
}

/// As it was answered then. An answer that names a first rank is that of a spawn.
kernel::Services::Served TraceSource::serve(std::int32_t rank, const op::Operation& /*request*/,
                                            std::int32_t next_rank) {
  const op::Reply& then = replay_.recorded(rank);
  Served served{.reply = {.flag = then.flag, .source = then.source, .tag = then.tag}};
  if (!then.flag || then.source < 0) return served;
  if (then.source != next_rank) {
    throw InputError(concat("rank ", rank, " of the trace starts ranks from ", then.source, " on, but the next is ",
                            next_rank,
                            ": on this platform ranks are started in another order than when it was recorded"));
  }
  const auto between = static_cast<op::CommId>(then.tag);
  served.new_ranks = static_cast<std::uint32_t>(members(between).size() - first_group(between));
  return served;
}

}  // namespace orrery::replay
