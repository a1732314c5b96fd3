// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/channel/local_calls.hpp"
#include "mpi/clock/host_counters.hpp"
#include "mpi/collective/inbox.hpp"
#include "mpi/extension/folder.hpp"
#include "mpi/extension/sampler.hpp"
#include "mpi/partitioned/inbox.hpp"
#include "mpi/point_to_point/buffered.hpp"
#include "mpi/point_to_point/matching.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/rank/call_sites.hpp"
#include "mpi/rank/python_lines.hpp"
#include "mpi/rank/rank.hpp"
#include "mpi/rank/threads.hpp"
#include "mpi/rank/warm_regions.hpp"
#include "mpi/request/ids.hpp"
#include "mpi/request/request.hpp"

namespace orrery::mpi {

/// How long a rank sleeps at its doorbell before it fetches messages that nobody wants yet: long enough for most to be
/// wanted first, which saves a copy.
inline constexpr std::int64_t patience_ns = 200'000;

struct Rank::State {
  State(Rank& rank, channel::Memory& shared, int number);

  channel::Memory& memory;
  const int world_rank;
  channel::RankEnd end;
  channel::RankBlock& block;

  // Calls and computation.
  ThreadState main;                  ///< of the thread that has initialised MPI
  std::unique_ptr<Threads> threads;  ///< null: no other thread calls MPI
  [[nodiscard]] ThreadState& thread() { return threads == nullptr ? main : threads->own(); }
  [[nodiscard]] bool several_threads() const { return threads != nullptr && threads->several(); }
  double compute_s = 0;   ///< not reported yet: of this host
  bool declared = false;  ///< some of it
  bool counted = false;   ///< what is long enough for page faults to be looked up
  double computed_s = 0;  ///< in all
  void report(double seconds) {
    compute_s += seconds;
    computed_s += seconds;
  }
  void measured(std::int64_t computed_ns);
  void measure_warm(ThreadState& thread);
  void look_at_region(op::Operation& operation);
  CallSites sites;
  PythonLines python_lines;
  InstructionCounter instruction_counter;
  std::uint64_t instructions_before = 0;  ///< when the program left MPI last
  std::uint64_t instructions = 0;         ///< not reported yet
  std::uint64_t faults_before = 0;        ///< when they were looked up last
  std::unique_ptr<WarmRegions> warm;      ///< null: nothing is measured with warm caches
  double first_computed_s = 0;            ///< of what is not reported yet, what was computed before the first call
  Sampler sampler;
  Folder folder;

  // Time plane.
  RequestIds ids;
  std::uint32_t answers = 0;         ///< received so far
  std::int64_t kernel_woken_ns = 0;  ///< monotonic time
  std::uint32_t sends = 0;           ///< point-to-point, so far
  Rank::Counters counters;
  std::vector<std::uint32_t> phases;           ///< that the program has begun and not ended, the innermost last
  channel::LocalCalls* local_calls = nullptr;  ///< of the present phase; null: none was yet
  [[nodiscard]] std::uint32_t phase() const { return phases.empty() ? 0 : phases.back(); }
  void count_local_call(op::RoutineId routine);

  // The clock as it was answered last, for `simulated_now`.
  std::atomic<double> known_s{0};         ///< simulated time
  std::atomic<std::int64_t> known_ns{0};  ///< when we learned it, monotonic
  bool only_computed_since = false;       ///< no other operation was pushed since
  double given_s = 0;                     ///< time that the program was told last: it never runs backwards

  // Data plane.
  Payloads payloads;
  MatchingQueues matching;
  CollectiveInbox collectives;
  PartitionInbox partitions;
  /// Whether payloads may still be with their senders, which therefore wait; `fetch_ahead` reads them all.
  [[nodiscard]] bool has_unfetched() const;
  void fetch_ahead();
  AttachedBuffer attached_buffer;
  std::vector<std::unique_ptr<Request>> orphans;
  std::vector<std::shared_ptr<Task>> tasks;
  bool advancing = false;
  std::uint64_t sleeps = 0;   ///< prepared so far
  std::uint64_t changes = 0;  ///< messages sorted and tasks ended so far
};

}  // namespace orrery::mpi
