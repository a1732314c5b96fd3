// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "replay/source.hpp"

namespace orrery::replay {

/// Several sources at once, as jobs that share a platform: the ranks of one come after those of the one before, and no
/// message goes from one to another. A job may begin later than the first.
class Jobs final : public Source {
 public:
  struct Job {
    std::unique_ptr<Source> source;
    Duration start = {};
  };

  /// @throws InputError when one of several starts ranks of its own: their numbers would be in each other's way
  explicit Jobs(std::vector<Job> jobs);

  [[nodiscard]] std::uint32_t ranks() const override;
  [[nodiscard]] std::uint32_t capacity() const override;
  [[nodiscard]] op::CommId comms() const override;
  [[nodiscard]] kernel::Services* services() override;
  [[nodiscard]] std::uint64_t operations_expected() const override;
  [[nodiscard]] std::uint64_t operations_given() const override;
  [[nodiscard]] std::uint32_t cut_off() const override;
  [[nodiscard]] std::span<const collective::Choice> choices() const override { return choices_; }
  /// Those of a single job; none of several, whose numbers mean other things.
  [[nodiscard]] std::map<std::uint32_t, std::string> sites() const override;
  [[nodiscard]] std::vector<kernel::ProfileRow> local_calls() const override;
  /// Leave out calls of these routines that do nothing: MPI_Init, where the launch of the jobs is simulated.
  void leave_out(std::vector<op::RoutineId> starts) { starts_ = std::move(starts); }
  /// The first rank of each job.
  [[nodiscard]] std::vector<std::uint32_t> first_ranks() const;

  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void wait(WorldRank rank) override;
  [[nodiscard]] bool ready(WorldRank rank) override;
  void wait_for_any(double longest_s) override;
  void reply(WorldRank rank, const op::Reply& reply) override;

  [[nodiscard]] std::span<const std::int32_t> members(op::CommId comm) override;
  [[nodiscard]] std::size_t first_group(op::CommId comm) override;
  void release(op::CommId comm) override;

 private:
  struct Placed {
    std::unique_ptr<Source> source;
    Duration start;
    std::int32_t first_rank;
    op::CommId first_comm;
    std::uint16_t first_choice;
    std::vector<bool> begun;                                  ///< by rank of the job; empty: it begins at 0
    std::map<op::CommId, std::vector<std::int32_t>> members;  ///< of those in use, shifted
  };

  [[nodiscard]] bool starts(const op::Operation& operation) const;
  Placed& of_rank(std::int32_t rank);
  Placed& of_comm(op::CommId comm);

  std::vector<Placed> jobs_;
  std::vector<op::RoutineId> starts_;        ///< what they leave out
  std::vector<collective::Choice> choices_;  ///< of all jobs, one after the other
};

}  // namespace orrery::replay
