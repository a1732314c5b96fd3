// SPDX-License-Identifier: BSD-3-Clause
#include "replay/jobs.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "op/sleep.hpp"

namespace orrery::replay {

Jobs::Jobs(std::vector<Job> jobs) {
  std::uint64_t rank = 0;
  const bool several = jobs.size() > 1;
  std::uint64_t comm = several ? 1 : 0;  // 0 would be the ranks of all jobs, which none of them knows
  for (Job& job : jobs) {
    if (several && job.source->capacity() != job.source->ranks())
      throw InputError("one of the traces starts ranks with MPI_Comm_spawn: such a trace can only be replayed alone");
    Placed placed{std::move(job.source),
                  job.start,
                  static_cast<std::int32_t>(rank),
                  static_cast<op::CommId>(comm),
                  static_cast<std::uint16_t>(choices_.size()),
                  {},
                  {}};
    const std::span<const collective::Choice> of_job = placed.source->choices();
    choices_.insert(choices_.end(), of_job.begin(), of_job.end());
    if (collective::algorithms().size() + choices_.size() > UINT16_MAX)
      throw InputError("the jobs have more algorithms of collectives than there are numbers");
    if (placed.start.s > 0) placed.begun.resize(placed.source->capacity());
    rank += placed.source->capacity();
    comm += placed.source->comms();
    if (rank > INT32_MAX || comm > UINT32_MAX)
      throw InputError("the jobs have more ranks or communicators than there are numbers");
    jobs_.push_back(std::move(placed));
  }
}

std::uint32_t Jobs::ranks() const {
  std::uint32_t sum = 0;
  for (const Placed& job : jobs_) sum += job.source->ranks();
  return sum;
}

std::uint32_t Jobs::capacity() const {
  std::uint32_t sum = 0;
  for (const Placed& job : jobs_) sum += job.source->capacity();
  return sum;
}

op::CommId Jobs::comms() const { return jobs_.back().first_comm + jobs_.back().source->comms(); }

kernel::Services* Jobs::services() { return jobs_.size() == 1 ? jobs_[0].source->services() : nullptr; }

std::uint64_t Jobs::operations_expected() const {
  std::uint64_t sum = 0;
  for (const Placed& job : jobs_) sum += job.source->operations_expected();
  return sum;
}

std::uint64_t Jobs::operations_given() const {
  std::uint64_t sum = 0;
  for (const Placed& job : jobs_) sum += job.source->operations_given();
  return sum;
}

std::uint32_t Jobs::cut_off() const {
  std::uint32_t sum = 0;
  for (const Placed& job : jobs_) sum += job.source->cut_off();
  return sum;
}

std::map<std::uint32_t, std::string> Jobs::sites() const {
  if (jobs_.size() != 1) return {};
  return jobs_[0].source->sites();
}

std::vector<kernel::ProfileRow> Jobs::local_calls() const {
  std::vector<kernel::ProfileRow> rows;
  for (const Placed& job : jobs_) {
    for (kernel::ProfileRow row : job.source->local_calls()) {
      row.rank += static_cast<std::uint32_t>(job.first_rank);
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<std::uint32_t> Jobs::first_ranks() const {
  std::vector<std::uint32_t> first;
  for (const Placed& job : jobs_) first.push_back(static_cast<std::uint32_t>(job.first_rank));
  return first;
}

Jobs::Placed& Jobs::of_rank(std::int32_t rank) {
  if (jobs_.size() == 1) return jobs_.front();
  const auto after = std::upper_bound(jobs_.begin(), jobs_.end(), rank,
                                      [](std::int32_t r, const Placed& job) { return r < job.first_rank; });
  return *(after - 1);
}

Jobs::Placed& Jobs::of_comm(op::CommId comm) {
  const auto after = std::upper_bound(jobs_.begin(), jobs_.end(), comm,
                                      [](op::CommId c, const Placed& job) { return c < job.first_comm; });
  return *(after - 1);
}

op::Pull Jobs::next(WorldRank world_rank, op::Operation& operation) {
  Placed& job = of_rank(index(world_rank));
  const std::int32_t rank = index(world_rank) - job.first_rank;
  if (!job.begun.empty() && !job.begun[static_cast<std::size_t>(rank)]) {
    job.begun[static_cast<std::size_t>(rank)] = true;
    operation = op::sleep(std::llround(job.start.s * 1e9));
    return op::Pull::Ready;
  }
  op::Pull pull{};
  do {
    pull = job.source->next(WorldRank{rank}, operation);
  } while (pull == op::Pull::Ready && starts(operation));
  if (pull != op::Pull::Ready) return pull;
  operation.comm += job.first_comm;
  if (operation.kind == op::Kind::Collective && operation.algorithm > collective::algorithms().size())
    operation.algorithm += job.first_choice;
  if (operation.kind != op::Kind::Collective && operation.peer >= 0) operation.peer += job.first_rank;
  return pull;
}

bool Jobs::starts(const op::Operation& operation) const {
  return operation.kind == op::Kind::Nothing && std::ranges::find(starts_, operation.routine) != starts_.end();
}

void Jobs::wait(WorldRank rank) {
  Placed& job = of_rank(index(rank));
  job.source->wait(WorldRank{index(rank) - job.first_rank});
}

bool Jobs::ready(WorldRank rank) {
  Placed& job = of_rank(index(rank));
  return job.source->ready(WorldRank{index(rank) - job.first_rank});
}

void Jobs::wait_for_any(double longest_s) {
  for (Placed& job : jobs_) job.source->wait_for_any(longest_s);
}

void Jobs::reply(WorldRank rank, const op::Reply& reply) {
  Placed& job = of_rank(index(rank));
  op::Reply shifted = reply;
  if (shifted.source >= 0) shifted.source -= job.first_rank;
  job.source->reply(WorldRank{index(rank) - job.first_rank}, shifted);
}

std::span<const std::int32_t> Jobs::members(op::CommId comm) {
  if (comm < jobs_[0].first_comm) return {};
  Placed& job = of_comm(comm);
  const auto inner = job.source->members(comm - job.first_comm);
  if (job.first_rank == 0) return inner;
  const auto [found, fresh] = job.members.try_emplace(comm, inner.begin(), inner.end());
  if (fresh) {
    for (std::int32_t& member : found->second) member += job.first_rank;
  }
  return found->second;
}

std::size_t Jobs::first_group(op::CommId comm) {
  if (comm < jobs_[0].first_comm) return 0;
  Placed& job = of_comm(comm);
  return job.source->first_group(comm - job.first_comm);
}

void Jobs::release(op::CommId comm) {
  Placed& job = of_comm(comm);
  job.members.erase(comm);
  job.source->release(comm - job.first_comm);
}

}  // namespace orrery::replay
