// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.hpp"
#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// Decides how a run ended from the ends of its processes and what the ranks left in shared memory.
///
/// It is told of each end once, in the order in which they were seen; the first that ends the run decides.
class Verdict {
 public:
  Verdict(const mpi::channel::Memory& memory, const Job& job);

  /// More ranks were started.
  void add(std::uint32_t ranks) { ranks_ += ranks; }

  /// The process of a rank ended (`wait_status` as wait(2) gives it). @return an outcome when the run is over by it
  [[nodiscard]] std::optional<Outcome> rank_ended(std::int32_t rank, int wait_status);

  /// The process that was to fork the ranks, or a shell above it, ended. @return an outcome when it should not have, or
  /// when it ended otherwise than its ranks, which had ended before
  [[nodiscard]] std::optional<Outcome> template_ended(int wait_status) const;

  /// Some ranks have ended before MPI_Init (as `rank_ended` was told) while another has been in it: it cannot go on.
  [[nodiscard]] std::optional<Outcome> someone_missing() const;

  /// A rank has ended the run (MPI_Abort), though the process that was started for it, a shell say, may go on.
  [[nodiscard]] std::optional<Outcome> someone_aborted() const;

  [[nodiscard]] bool someone_without_init() const { return !without_init_.empty(); }
  [[nodiscard]] bool all_ended() const { return ended_ == ranks_; }
  /// After `all_ended`: Completed, or ExitStatus of the lowest rank that had one.
  [[nodiscard]] Outcome at_end() const;

  /// Why the template could not fork the ranks.
  [[nodiscard]] Outcome threads_before_init() const;
  [[nodiscard]] Outcome cannot_fork(int error_number) const;

 private:
  [[nodiscard]] Outcome about(End end, std::int32_t rank) const;
  [[nodiscard]] Outcome aborted(std::int32_t rank) const;
  [[nodiscard]] Outcome crashed(std::int32_t rank, int signal) const;
  [[nodiscard]] Outcome left_early(std::int32_t rank, int status) const;
  [[nodiscard]] Outcome not_mpi(int status) const;
  [[nodiscard]] std::optional<Outcome> shell_ended(int wait_status) const;
  [[nodiscard]] bool someone_attached() const;
  [[nodiscard]] std::string error_text(std::int32_t rank) const;

  struct Status {
    std::int32_t rank;
    int status;
  };

  const mpi::channel::Memory& memory_;
  const Job& job_;
  std::uint32_t ranks_;
  std::uint32_t ended_ = 0;
  std::uint32_t first_ended_ = 0;         ///< of those that were there from the beginning
  std::vector<Status> without_init_;      ///< ended before MPI_Init
  std::optional<Status> lowest_nonzero_;  ///< of those that had finalised
  std::uint32_t nonzero_ = 0;             ///< how many had one
};

}  // namespace orrery::launch
