// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "launch/descriptor.hpp"
#include "launch/memory_use.hpp"
#include "launch/verdict.hpp"

namespace orrery::launch {

/// A process that the launcher started: a rank, or the template that forks them.
struct Leader {
  static constexpr std::int32_t template_rank = -1;
  pid_t pid;
  std::int32_t rank;
};

/// Watches the processes of a run on a thread of its own, until the run is decided: by the end of a process, by `stop`,
/// or by what the kernel found (`decide`).
class Watch {
 public:
  /// @param ended_ranks where the template reports ends of ranks, as records of rank and wait status
  /// @param decided called once, from any thread, when the run is over before all ranks have ended
  /// @param start_others starts the ranks but the first, which the template has become, and adds them to the list;
  /// called from this object's thread, with which they end. @throws StartError, InputError
  Watch(const Job& job, const mpi::channel::Memory& memory, std::vector<Leader> leaders, Descriptor ended_ranks,
        const Event& stop, std::function<void()> decided, std::function<void(std::vector<Leader>&)> start_others);
  ~Watch();

  /// Any thread: these were started besides.
  void add(const std::vector<Leader>& leaders);

  /// The run is over in this way; only the first call counts.
  void decide(Outcome outcome);

  /// The kernel has merged all streams: what is left is that the processes end.
  void kernel_has_ended() { kernel_has_ended_ = true; }

  /// Returns when the run is decided or all ranks have ended.
  [[nodiscard]] Outcome wait();

  /// Ends the thread; afterwards:
  void end();
  [[nodiscard]] const MemoryUse& memory_use() const { return memory_use_; }
  [[nodiscard]] bool ranks_started_afresh() const { return afresh_; }
  [[nodiscard]] const std::string& shared_by_fork() const { return shared_by_fork_; }

 private:
  struct Watched {
    Leader leader;
    Descriptor exit;  ///< pidfd; none where the system is older than Linux 5.3
    bool ended = false;
  };

  void run();
  void register_all();
  void register_one(int number, std::uint64_t key);
  void take_newcomers();
  void watch_for(const Leader& leader);
  void take_what_is_shared(const char* words);
  [[nodiscard]] int timeout_ms() const;
  void handle(std::uint64_t key);
  void read_ended_ranks();
  void look_at(Watched& watched);
  void look_at_all_without_event();
  void rank_ended(std::int32_t rank, int wait_status);
  void end_if_all_have();
  void decide_if(std::optional<Outcome> outcome);
  void check_finalize_answered();
  void sample_memory();

  const Job& job_;
  const mpi::channel::Memory& memory_;
  Verdict verdict_;
  std::deque<Watched> watched_;  ///< one that is looked at stays where it is when others come
  Descriptor ended_ranks_;
  const Event& stop_;
  Event end_;
  Event newcomers_come_;
  std::function<void()> decided_;
  std::function<void(std::vector<Leader>&)> start_others_;
  MemoryUse memory_use_;
  Descriptor poller_;
  bool ending_ = false;         ///< thread only
  bool afresh_ = false;         ///< the template has become the first rank, and the others were started
  std::string shared_by_fork_;  ///< see Outcome
  std::optional<MemoryUse::Clock::time_point> all_ended_since_;
  std::atomic<bool> kernel_has_ended_{false};

  std::mutex mutex_;
  std::vector<Leader> newcomers_;
  std::condition_variable changed_;
  std::optional<Outcome> outcome_;
  bool all_ended_ = false;
  std::thread thread_;
};

}  // namespace orrery::launch
