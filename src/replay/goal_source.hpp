// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <vector>

#include "replay/source.hpp"
#include "trace/goal/schedule.hpp"

namespace orrery::replay {

/// Routines under which profiles and traces have what a schedule does: it names none itself.
struct GoalRoutines {
  op::RoutineId isend = 0, irecv = 0, waitsome = 0, finalize = 0;
};

/// A GOAL schedule on any network model: each rank starts whatever can begin, in the order in which it became able to,
/// and waits for some of it to be over when nothing can. A rank computes one thing at a time, whatever processors the
/// schedule names: on a platform, ranks have one.
class GoalSource final : public Source {
 public:
  explicit GoalSource(trace::goal::Schedule schedule, const GoalRoutines& routines = {});

  [[nodiscard]] std::uint32_t ranks() const override { return schedule_.ranks(); }
  [[nodiscard]] std::uint64_t operations_expected() const override { return schedule_.nodes(); }
  [[nodiscard]] std::uint64_t operations_given() const override { return given_; }
  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void reply(WorldRank rank, const op::Reply& reply) override;
  [[nodiscard]] std::span<const std::int32_t> members(op::CommId comm) override;

 private:
  struct Rank {
    std::vector<std::uint32_t> ready;  ///< nodes that can begin, from `next` on
    std::size_t next = 0;
    std::vector<op::RequestId> requests;         ///< under way; a node's request is its number + 1
    std::vector<std::uint32_t> completed;        ///< positions in these: what the last wait was answered
    std::uint32_t computing = trace::goal::any;  ///< node whose computation is the last operation given
    std::uint32_t begun = 0;                     ///< how many nodes have begun
    bool ended = false;
  };

  void take_completed(std::uint32_t number);
  void begun(std::uint32_t rank, const trace::goal::Node& node);
  void over(std::uint32_t rank, std::uint32_t number);
  void one_less(std::uint32_t rank, std::uint32_t number);

  trace::goal::Schedule schedule_;
  GoalRoutines routines_;
  std::vector<std::uint32_t> required_;
  std::vector<Rank> ranks_;
  std::vector<std::int32_t> members_;
  std::atomic<std::uint64_t> given_{0};
};

}  // namespace orrery::replay
