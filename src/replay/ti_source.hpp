// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/byte_scale.hpp"
#include "replay/source.hpp"
#include "trace/ti/reader.hpp"

namespace orrery::replay {

/// Number here of a routine, by its name; 0 if there is none.
using RoutineNumbers = std::function<op::RoutineId(std::string_view)>;

/// A time-independent trace of SimGrid's as something to run.
class TiSource final : public Source {
 public:
  struct Options {
    double flops_per_s = 1e9;  ///< that computation is divided by
    double bytes_factor = 1;   ///< of all messages
  };

  /// @param paths one file per rank, in the order of the ranks, or one of all ranks
  /// @throws InputError when a file cannot be read; `next` does, naming file and line, for lines that make no sense
  TiSource(const std::vector<std::string>& paths, const Options& options, const RoutineNumbers& routine_number);

  [[nodiscard]] std::uint32_t ranks() const override { return files_.ranks(); }
  [[nodiscard]] std::uint64_t operations_given() const override { return given_.load(std::memory_order_relaxed); }
  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void reply(WorldRank rank, const op::Reply& reply) override { reader(rank).reply(reply); }
  [[nodiscard]] std::span<const std::int32_t> members(op::CommId comm) override;

 private:
  trace::ti::Reader& reader(WorldRank rank) { return readers_[static_cast<std::size_t>(index(rank))]; }

  trace::ti::Files files_;
  trace::ti::Terms terms_;
  trace::ti::KnownLines known_;
  std::vector<trace::ti::Reader> readers_;
  std::vector<std::int32_t> world_;
  ByteScale scale_;
  std::uint64_t operations_ = 0;
  std::atomic<std::uint64_t> given_{0};
};

}  // namespace orrery::replay
