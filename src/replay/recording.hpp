// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel/kernel.hpp"
#include "trace/recorder.hpp"

namespace orrery::replay {

/// The trace of a simulation, live or a replay: what the ranks' streams bring, when it happened in simulated time, and
/// what served it.
class Recording final : public kernel::Observer {
 public:
  /// Records `ranks` from the start, and up to `capacity` with those that are started later. The references must
  /// outlive it.
  /// @throws InputError when the file cannot be created
  Recording(op::Streams& streams, kernel::Groups& groups, const std::string& path, std::uint32_t ranks,
            std::uint32_t capacity);

  /// @param hosts by rank: the name of its host
  void describe(const std::vector<std::pair<std::string, std::string>>& properties,
                const std::vector<std::string_view>& routine_names, const std::vector<std::string_view>& hosts);
  /// MPI_Init of each rank, where the simulation begins with the launch of the job. Before the kernel reads.
  void add_beginnings(std::span<const startup::Beginning> beginnings, op::RoutineId init_routine);
  /// Keeps call sites, whose texts `add_site` gives any time before `close`. Before the kernel reads.
  void keep_sites() { recorder_.keep_sites(); }
  void add_site(std::uint32_t number, const std::string& text) { recorder_.add_site(number, text); }
  /// What the kernel reads instead of the streams.
  [[nodiscard]] op::Streams& streams() { return recorder_; }
  /// Calls that send the kernel no operation, by rank. Before `close`.
  void add_local_calls(std::span<const kernel::ProfileRow> rows);
  /// @return why the trace is not complete; empty if it is
  [[nodiscard]] std::string close();

  void happened(std::int32_t rank, std::uint32_t thread, const op::Operation& operation, SimTime begin,
                SimTime end) override;
  void chose(std::int32_t rank, const op::Operation& call, const collective::Choice& choice) override;
  void late(std::int32_t rank, Duration by) override { recorder_.late(rank, by); }

 private:
  using Key = std::tuple<const collective::Algorithm*, std::int64_t, int>;

  trace::Recorder recorder_;
  op::RoutineId init_routine_ = 0;      ///< whose calls are operations; 0: none
  std::map<Key, std::string> spelled_;  ///< choices so far
};

}  // namespace orrery::replay
