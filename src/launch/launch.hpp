// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "computation/computation.hpp"
#include "kernel/kernel.hpp"
#include "launch/sampled.hpp"
#include "mpi/channel/channel.hpp"

/// Starts the ranks of a program as processes, lets the kernel merge their streams, and ends them whatever happens.
namespace orrery::launch {

enum class Start : std::uint8_t {
  Fork,  ///< the program starts once and forks its ranks in MPI_Init
  Exec,  ///< every rank is started afresh
  Auto,  ///< as Fork; if the program has done something by then that each rank should do by itself, as Exec
};

/// A program that some of the ranks run, where not all run the same (MPMD).
struct Section {
  std::vector<std::string> command = {};      ///< program and arguments
  std::vector<std::string> environment = {};  ///< "NAME=value", complete
  std::string directory = {};                 ///< working directory; empty: the present one
  std::uint32_t ranks = 1;
};

struct Job {
  std::vector<std::string> command = {};      ///< program and arguments
  std::vector<std::string> environment = {};  ///< "NAME=value", complete
  std::string directory = {};                 ///< working directory; empty: the present one
  std::uint32_t ranks = 1;
  /// Several programs, in the order of their ranks: then `command` is not used, `ranks` is the sum of theirs, and every
  /// rank is started afresh. Empty: all ranks run `command`.
  std::vector<Section> sections = {};
  Start start = Start::Fork;
  bool label = false;           ///< each line of output is handed over with its rank
  bool no_data = false;         ///< contents of messages on which programs do not depend are left out
  std::uint64_t fold_from = 0;  ///< bytes of the smallest block of the ranks' heaps that they share; 0: none is
  bool execute_all = false;     ///< blocks that the program samples are not skipped
  bool measure_compute = true;  ///< false: computation takes no simulated time
  computation::Charge charge = computation::Charge::Steady;
  double compute_scale = 1;  ///< what `kernel.compute_factor` has for a host of speed 1: the ranks declare by it
  bool simulated_clock = true;
  std::int64_t buffered_limit = 0;  ///< S_d: largest size for which a standard send does not wait for its receiver
  std::vector<std::string> host_names = {};          ///< by platform::HostId
  std::vector<std::uint32_t> processors = {};        ///< by the same; empty: programs see those of this host
  std::vector<mpi::channel::Level> levels = {};      ///< of the hardware, from the largest parts to the smallest
  std::vector<std::string_view> routine_names = {};  ///< by op::RoutineId; for `Outcome::routine`
  std::string trace = {};                            ///< file that the ranks' streams are recorded in; empty: none
  std::vector<std::pair<std::string, std::string>> trace_properties = {};  ///< where the trace comes from
  kernel::Config kernel = {};
};

/// How a run ended.
enum class End : std::uint8_t {
  Completed,    ///< every rank finalised and ended with status 0
  ExitStatus,   ///< every rank finalised, but one ended with another status
  Crashed,      ///< a rank was killed by a signal
  LeftEarly,    ///< a rank ended without MPI_Finalize (or never called MPI_Init while others did)
  Aborted,      ///< MPI_Abort, or an MPI error under MPI_ERRORS_ARE_FATAL
  Deadlocked,   ///< no rank could go on
  NotMpi,       ///< the program ended without MPI_Init: it is not an MPI program of Orrery
  NotStarted,   ///< the program could not be started
  Interrupted,  ///< `stop` was called (Ctrl-C)
  BadStream,    ///< a rank asked for what MPI does not allow: `text` says what
};

struct Outcome {
  End end = End::Completed;
  int exit_code = 0;       ///< for the shell: 0, the rank's own, 128 + signal, 130 for Ctrl-C, else 1
  std::int32_t rank = -1;  ///< whom it happened to, if to one
  int signal = 0;
  std::string routine = {};  ///< MPI routine the rank was in or had left last; empty before the first
  bool in_routine = false;   ///< it was inside
  std::string text = {};     ///< the cause in one line
  std::optional<kernel::Deadlock> deadlock = {};
  double wall_s = 0;
  bool afresh = false;               ///< Start::Auto: ranks were started afresh
  std::string shared_by_fork = {};   ///< what forked ranks share, or would, in words after "the program has"
  std::string trace_error = {};      ///< why the trace is not complete, if it could not be written
  std::uint64_t peak_rss_bytes = 0;  ///< largest sum of proportional set sizes seen (memory_use.hpp); 0: none was
};

/// A place in the program that asked for large blocks of the heap, in the rank that was looked at.
struct HeapPlace {
  std::string file = {};        ///< of the machine code
  std::int32_t offset = 0;      ///< into it, bytes
  std::uint64_t blocks = 0;     ///< that it asked for
  std::uint64_t words = 0;      ///< of these that were looked at and are not 0
  std::uint64_t suspected = 0;  ///< of these words, that no floating-point number is
};

/// Memory that ranks share instead of having it (orrery.h, Job::fold_from).
struct Folding {
  std::uint64_t asked_bytes = 0;       ///< by all ranks, most at once
  std::uint64_t held_bytes = 0;        ///< that stand for them
  std::vector<HeapPlace> places = {};  ///< by file and offset
};

/// One run. Construct, `run` (blocks), read results. `stop` and `simulation().progress()` may be called from other
/// threads.
class Run {
 public:
  /// Called from a thread of the run, one call at a time: with labels one line, otherwise (rank -1) as many whole lines
  /// as there are. What it throws ends the run and comes out of `run`.
  using Output = std::function<void(std::int32_t rank, bool error_stream, std::string_view text)>;

  Run(Job job, transport::Transport& transport, const collective::Selector& selector);
  ~Run();  ///< no process of the run is alive afterwards

  /// Once per object (std::logic_error). The ranks live no longer than the calling thread.
  /// @throws InputError when the system lacks what the run needs (descriptors, memory)
  Outcome run(const Output& output);
  void stop();  ///< any thread, any time
  /// Passes a signal that came for the run on to its ranks, any thread, any time. SIGINT, SIGTERM and SIGHUP go to
  /// those that have a handler for them, and no others.
  /// @return how many processes got it
  std::uint32_t signal(int number);
  [[nodiscard]] const kernel::Simulation& simulation() const;
  [[nodiscard]] Sampling sampling() const;  ///< after `run`
  /// Calls that sent the kernel no operation and took no simulated time, by rank, phase and routine; after `run`.
  [[nodiscard]] std::vector<kernel::ProfileRow> local_calls() const;
  [[nodiscard]] Folding folding() const;                   ///< after `run`
  [[nodiscard]] computation::Summary computation() const;  ///< after `run`
  /// Ranks that may have waited for others by reading memory in a loop; after `run`.
  [[nodiscard]] const mpi::channel::MemoryWaits& memory_waits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace orrery::launch
