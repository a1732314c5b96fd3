// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "op/stream.hpp"
#include "trace/writer.h"

namespace orrery::trace {

/// Streams that pass through to the kernel, and are written into a trace on the way, with what the kernel answers. An
/// operation is written when the one after it is asked for, so that it is known by then what came of it.
class Recorder final : public op::Streams {
 public:
  struct Members {
    std::span<const std::int32_t> world_ranks = {};
    std::size_t first_group = 0;
  };
  /// Looks up a communicator when it is used first.
  using FindMembers = std::function<Members(op::CommId)>;

  /// @param ranks at the start of the run   @param capacity with those that may be started later
  /// @throws InputError when the file cannot be created
  Recorder(op::Streams& streams, const std::string& path, std::uint32_t ranks, std::uint32_t capacity,
           FindMembers find_members);
  ~Recorder() override;

  void add_property(const std::string& key, const std::string& value);
  void add_names(orrery_trace_table table, std::span<const std::string_view> names);
  /// Keeps the call sites of operations, which mean nothing where their texts are not known. Before the kernel reads.
  void keep_sites() { keeps_sites_ = true; }
  void add_site(std::uint32_t number, const std::string& text);
  /// MPI_Init of `rank`, the `routine`, was in simulated time from `begin` to `end`. Before its first operation.
  void started(std::int32_t rank, op::RoutineId routine, SimTime begin, SimTime end);
  /// The present operation of `rank` was in simulated time from `begin` to `end`.
  void happened(std::int32_t rank, SimTime begin, SimTime end);
  /// The present operation of `rank` begins so much later than the one before and its computation say.
  void late(std::int32_t rank, Duration by);
  /// A collective call of `rank` was served by this algorithm. Nothing is written where the call is not the present
  /// operation any more: a thread's may begin late, and the selector of the recording knows it then.
  void ran(std::int32_t rank, const op::Operation& call, const std::string& algorithm);
  /// Calls of a rank that are no operations of its stream.
  void add_local_calls(std::uint32_t rank, std::span<const orrery_trace_local_calls> calls);
  /// Writes what is left, and the index. @throws InputError when something could not be written
  void close();

  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void wait(WorldRank rank) override { streams_.wait(rank); }
  [[nodiscard]] bool ready(WorldRank rank) override { return streams_.ready(rank); }
  void wait_for_any(double longest_s) override { streams_.wait_for_any(longest_s); }
  [[nodiscard]] bool computes(WorldRank rank) override { return streams_.computes(rank); }
  [[nodiscard]] bool computes_on(WorldRank rank) override { return streams_.computes_on(rank); }
  [[nodiscard]] bool waits_outside(WorldRank rank) override { return streams_.waits_outside(rank); }
  void reply(WorldRank rank, const op::Reply& reply) override;
  void take_effect(WorldRank origin, std::int64_t effect) override { streams_.take_effect(origin, effect); }

 private:
  struct Rank {
    orrery_trace_stream* stream = nullptr;
    bool pending = false;   ///< `record` is to be written
    bool answered = false;  ///< `answer` too
    bool ended = false;
    double late_s = 0;
    orrery_trace_record record{};
    orrery_trace_answer answer{};
    std::vector<std::uint32_t> completed;
  };

  Rank& at(WorldRank rank) { return ranks_[static_cast<std::size_t>(index(rank))]; }
  void keep(Rank& rank, const op::Operation& operation);
  void write(Rank& rank);
  void write_late(Rank& rank);
  void define(op::CommId comm);
  void end_streams();

  op::Streams& streams_;
  std::string path_;
  FindMembers find_members_;
  orrery_trace_writer* writer_ = nullptr;
  bool keeps_sites_ = false;
  std::vector<Rank> ranks_;
  std::unordered_set<op::CommId> defined_;
  std::unordered_map<std::string, std::uint32_t> algorithms_;
};

}  // namespace orrery::trace
