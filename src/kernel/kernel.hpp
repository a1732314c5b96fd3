// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "collective/collective.hpp"
#include "kernel/unreceived.hpp"
#include "node/virtual_processor.hpp"
#include "op/stream.hpp"
#include "settings/node.hpp"
#include "startup/startup.hpp"
#include "storage/storage.hpp"
#include "transport/transport.hpp"

/// The clock: merges the streams of all ranks in simulated time.
///
/// Order of simultaneous events, which is part of the contract: at one instant, first the transfers that end there (in
/// the order in which they started), then the accesses to files that do, then the envelopes that arrive, then
/// acknowledgements of one-sided operations and messages about locks, in the order in which they were begun, then the
/// ranks that can go on, by world rank, a rank's own stream before its non-blocking collectives in the order of their
/// calls. A rank does all that it can do at an instant before the next one does. Transfers that both begin and end at
/// one instant come after the ranks, and may let more of them go on at that instant, in the same order. Nothing depends
/// on when the host delivered an operation, so equal streams give equal times to the last bit.
namespace orrery::kernel {

/// Members of communicators, by number. Live runs read them from the channel, others from memory.
class Groups {
 public:
  virtual ~Groups() = default;
  /// World rank of every rank of `comm`; valid until `release`. Empty when it is not defined.
  [[nodiscard]] virtual std::span<const std::int32_t> members(op::CommId comm) = 0;
  /// How many of an inter-communicator's members are its first group; the others are the second. 0: it is none.
  [[nodiscard]] virtual std::size_t first_group(op::CommId /*comm*/) { return 0; }
  /// All members have freed it.
  virtual void release(op::CommId comm) = 0;
};

/// What a run offers besides messages: it starts ranks and keeps names. Asked in the order of simulated time.
class Services {
 public:
  struct Served {
    op::Reply reply = {};
    std::uint32_t new_ranks = 0;  ///< that begin now, with the numbers from `next_rank` on
  };
  virtual ~Services() = default;
  virtual Served serve(std::int32_t rank, const op::Operation& request, std::int32_t next_rank) = 0;
};

/// Is told what ranks did, as it happens; for traces and timelines.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `operation` of the stream of `rank` is over: one collective, not the messages that it is made of. What is not
  /// `Blocking` is over when it has been started. `thread`: number of the one that waited in it, or 0.
  virtual void happened(std::int32_t rank, std::uint32_t thread, const op::Operation& operation, SimTime begin,
                        SimTime end) = 0;
  /// A collective call of `rank` is served by this algorithm.
  virtual void chose(std::int32_t /*rank*/, const op::Operation& /*call*/, const collective::Choice& /*choice*/) {}
  /// The operation that `rank` has just brought begins so much later than its stream says, as it was not waited for.
  virtual void late(std::int32_t /*rank*/, Duration /*by*/) {}
};

struct Config {
  std::vector<platform::HostId> host_of_rank;        ///< one per rank, those that may be started later included
  std::vector<platform::HostId> place_of_rank = {};  ///< where in their nodes they are; none: on first sockets
  std::vector<double> compute_factor;  ///< one per rank: simulated seconds per second of `Operation::compute_s`
  Duration poll_cost{1e-6};            ///< of a test or probe that finds nothing: so that polling takes time
  double reduce_s_per_byte = 0;        ///< gamma: combining operands in a reduction
  double copy_s_per_byte = 0;          ///< copies inside collective algorithms
  Duration nonblocking{};              ///< so late a rank sees that a non-blocking collective is over
  std::uint32_t initial_ranks = 0;     ///< that are there from the beginning; 0: all
  Duration spawn_cost{0.1};            ///< from the request for new ranks until they begin
  /// MPI_Init of the initial ranks, whose streams begin when they leave it; none: it takes no time.
  std::vector<startup::Beginning> beginnings = {};
  op::RoutineId init_routine = 0;                  ///< under which it is in the profile
  Services* services = nullptr;                    ///< null: a stream that asks for one is in error
  settings::Storage storage = storage::typical();  ///< what files cost
  settings::Node node = {};                        ///< what nodes add to the cost of messages
  std::vector<std::optional<node::Seat>> seats =
      {};                  ///< one per rank: its virtual processor, if it has one; empty: none
  std::uint64_t seed = 0;  ///< of the noise of handling messages
  /// Levels of the hardware, by world rank; none: nobody knows which ranks are near each other.
  std::vector<collective::Places::Level> levels = {};
  /// What collectives refer to whose `Operation::algorithm` lies beyond the registry. Where such a choice does not
  /// serve a call, the selector chooses, which `AlgorithmUse` says, as it does for the parts of a collective.
  std::vector<collective::Choice> choices = {};
  Observer* observer = nullptr;                  ///< null: nobody is told
  const std::atomic<bool>* interrupt = nullptr;  ///< when it becomes true, `run` throws Interrupted within milliseconds
};

/// One line of the profile of one rank: time in one routine, in one phase.
struct ProfileRow {
  std::uint32_t rank;
  std::uint32_t phase;    ///< 0: outside of any
  op::RoutineId routine;  ///< 0: computation (and sleep) outside of MPI
  std::uint64_t calls;
  Duration time;
  std::uint64_t messages;  ///< sent
  Bytes bytes;             ///< sent
};

/// Collective calls of one routine that one algorithm served, with the same parameters, and instead of the same one, if
/// another was asked for; of all ranks together.
struct AlgorithmUse {
  op::RoutineId routine = 0;
  collective::Choice choice = {};
  std::uint64_t calls = 0;     ///< of single ranks
  std::uint64_t ruled = 0;     ///< of these, about which rules of the user's decided
  std::uint64_t messages = 0;  ///< sent
  Bytes bytes = {};            ///< sent
};

/// A message that has not been received.
struct Unmatched {
  std::int32_t source, tag;
  op::CommId comm;
  Bytes bytes;
};

/// Why a rank cannot go on.
struct Waiting {
  std::int32_t rank;
  op::RoutineId routine;
  op::Kind kind;                     ///< what it waits in: Isend, Irecv, a wait, Probe, Collective, Lock, FileLock
  std::optional<std::int32_t> peer;  ///< world rank that it waits for, if there is one
  std::int32_t tag;
  op::CommId comm;
  Bytes bytes;
  bool peer_ended = false;
  /// Irecv, Probe: of the messages to the rank the one that differs least from what it waits for, if there is one.
  std::optional<Unmatched> nearest = {};
};

struct Deadlock {
  std::vector<Waiting> waiting;  ///< all ranks that wait, by rank
  std::vector<std::int32_t>
      cycle;  ///< ranks that wait for each other in a circle, or empty (someone waits for a rank that has ended)
};

/// What was done with files.
struct FileUse {
  std::uint64_t accesses = 0;
  Bytes read, written;
};

/// Counters that another thread may read while the simulation runs.
struct Progress {
  std::atomic<double> now_s{0};
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint32_t> ranks_alive{0};
};

/// Thrown by `Simulation::run` when `Config::interrupt` says so.
struct Interrupted {};

class Simulation {
 public:
  /// All references must outlive the simulation. @throws InputError when `config` does not fit the platform
  Simulation(Config config, transport::Transport& transport, const collective::Selector& selector, op::Streams& streams,
             Groups& groups);
  ~Simulation();

  /// Runs to the end, or until no rank can go on.
  /// @throws InputError when a stream is not one that MPI allows (a request that does not exist, a peer outside of the
  /// world)
  std::optional<Deadlock> run();

  [[nodiscard]] SimTime now() const;  ///< the end, after `run`: when the last rank finalised
  [[nodiscard]] std::vector<SimTime> end_of_ranks() const;
  [[nodiscard]] SimTime launched() const;                 ///< when the last of the initial ranks left MPI_Init
  [[nodiscard]] std::vector<ProfileRow> profile() const;  ///< by rank, phase, routine; any time, also after a failure
  [[nodiscard]] std::vector<AlgorithmUse> algorithm_use() const;  ///< by routine, then by algorithm; any time
  [[nodiscard]] const Progress& progress() const;
  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] FileUse file_use() const;
  [[nodiscard]] Unreceived unreceived() const;       ///< after `run`
  [[nodiscard]] std::uint64_t events() const;        ///< processed by the clock
  [[nodiscard]] transport::Stalled stalled() const;  ///< by time-outs of crowded switches
  [[nodiscard]] transport::Connected connected() const;
  /// How often a rank waited for something outside of the simulation, so that the others went on without it.
  [[nodiscard]] std::uint64_t outside_waits() const;
  [[nodiscard]] std::size_t bytes_per_idle_rank() const;  ///< state that a rank costs while it does nothing

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace orrery::kernel
