// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <memory>
#include <unordered_map>
#include <vector>

#include "replay/byte_scale.hpp"
#include "replay/source.hpp"
#include "trace/replay.hpp"

namespace orrery::replay {

/// A trace file as something to run.
class TraceSource final : public Source, public kernel::Services {
 public:
  struct Options {
    trace::Replay::Match match = trace::Replay::Match::Again;
    double bytes_factor = 1;                     ///< of all messages; collectives stay multiples of their element
    std::vector<op::RoutineId> routine_of = {};  ///< number of a routine here, by its number in the trace
    /// Kinds of collectives that run by the algorithms that the trace says; for others, and where it says none or one
    /// that does not exist here, the selector chooses.
    std::bitset<op::collective_kinds> recorded_algorithms = {};
  };

  TraceSource(std::shared_ptr<const trace::File> file, Options options);

  [[nodiscard]] std::uint32_t ranks() const override { return file_->ranks(); }
  [[nodiscard]] std::uint32_t capacity() const override { return file_->streams(); }
  [[nodiscard]] op::CommId comms() const override { return comms_; }
  [[nodiscard]] kernel::Services* services() override { return this; }
  [[nodiscard]] std::uint64_t operations_expected() const override { return file_->records(); }
  [[nodiscard]] std::uint64_t operations_given() const override { return given_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::span<const collective::Choice> choices() const override { return choices_; }
  [[nodiscard]] std::vector<std::string> cautions() const override;
  [[nodiscard]] std::map<std::uint32_t, std::string> sites() const override { return file_->names(ORRERY_TRACE_SITES); }
  [[nodiscard]] std::vector<kernel::ProfileRow> local_calls() const override;
  [[nodiscard]] std::uint32_t cut_off() const override { return replay_.cut_off(); }

  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void wait(WorldRank rank) override { replay_.wait(rank); }
  [[nodiscard]] bool ready(WorldRank rank) override { return replay_.ready(rank); }
  void wait_for_any(double longest_s) override { replay_.wait_for_any(longest_s); }
  void reply(WorldRank rank, const op::Reply& reply) override { replay_.reply(rank, reply); }

  [[nodiscard]] std::span<const std::int32_t> members(op::CommId comm) override;
  [[nodiscard]] std::size_t first_group(op::CommId comm) override;
  void release(op::CommId comm) override { members_.erase(comm); }

  [[nodiscard]] Served serve(std::int32_t rank, const op::Operation& request, std::int32_t next_rank) override;

 private:
  void read_algorithms();
  void check_requests(std::int32_t rank, const op::Operation& operation) const;

  std::shared_ptr<const trace::File> file_;
  Options options_;
  trace::Replay replay_;
  ByteScale scale_;
  op::CommId comms_ = 1;
  std::unordered_map<op::CommId, std::vector<std::int32_t>> members_;  ///< of those in use
  std::vector<collective::Choice> choices_;
  std::vector<std::string> unknown_;  ///< algorithms that are recorded and do not exist here
  /// By number in the trace's table of algorithms and by kind: what `Operation::algorithm` is for it here.
  std::unordered_map<std::uint32_t, std::array<std::uint16_t, op::collective_kinds>> algorithm_of_;
  std::atomic<std::uint64_t> given_{0};
};

}  // namespace orrery::replay
