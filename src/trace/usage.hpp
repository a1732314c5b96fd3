// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "trace/file.hpp"

namespace orrery::trace {

/// What a trace says of a run without any simulation: who called what how often, for how long, and who sent how much
/// to whom. Times are those that were recorded: of the wall clock in captured runs, simulated in others.
struct Usage {
  /// Calls of one rank in one routine, in one phase (0: outside of any). Routine 0 is the program itself.
  struct Call {
    std::uint32_t rank;
    std::int32_t phase;
    std::uint32_t routine;
    std::uint64_t calls = 0;
    double time_s = 0;
    std::uint64_t messages = 0;
    std::int64_t bytes = 0;  ///< sent in messages of its own; what a collective sends is not in a trace
  };
  /// Messages from one rank to another: sends, and what goes to or comes from the memory of another rank.
  struct Edge {
    std::uint32_t from, to;
    std::uint64_t messages = 0;
    std::int64_t bytes = 0;
  };
  /// Sizes from 2^(power-1) + 1 to 2^power bytes; power 0: one byte; -1: none. Of `messages`, or of collective calls of
  /// the routine by what `op::Operation::bytes` means there.
  struct Size {
    std::uint32_t routine;
    std::int32_t power;
    std::uint64_t count = 0;
    std::int64_t bytes = 0;
  };
  struct Comm {
    std::uint32_t comm, size;
    std::uint64_t messages = 0, collectives = 0;  ///< of all ranks together
    std::int64_t message_bytes = 0, collective_bytes = 0;
  };
  /// Calls of one routine from one place in the program, of all ranks together.
  struct Site {
    std::uint32_t site, routine;  ///< of `site`: number in the file's table of call sites
    std::uint32_t ranks = 0;      ///< that called from there
    std::uint64_t calls = 0;
    double time_s = 0, shortest_s = 0, longest_s = 0;  ///< of all calls; of one
    std::uint64_t messages = 0;
    std::int64_t bytes = 0;
  };
  struct Rank {
    std::uint32_t rank;
    /// From the end of MPI_Init to the begin of MPI_Finalize, or to its last operation; in MPI between them; processor
    /// time outside of operations.
    double total_s = 0, mpi_s = 0, computed_s = 0;
    std::uint64_t calls = 0, messages = 0;
    std::int64_t bytes = 0;
    bool cut_off = false;
  };

  std::vector<Call> calls;  ///< by rank, phase, routine
  std::vector<Edge> edges;  ///< by sender, receiver
  std::vector<Size> sizes;  ///< by routine, power
  std::vector<Comm> comms;  ///< by number
  std::vector<Rank> ranks;
  std::vector<Site> sites;           ///< by site, routine; empty: the trace has none
  std::vector<std::uint32_t> local;  ///< routines whose calls are counted beside the operations, such as MPI_Comm_rank

  [[nodiscard]] static Usage of(const File& file);
};

/// Operations of a trace whose outcome depends on what came first: receives and probes of any source, tests, waits for
/// any of several. After another outcome the program may have done something else than what was recorded.
[[nodiscard]] std::uint64_t choices_in(const File& file);

}  // namespace orrery::trace
