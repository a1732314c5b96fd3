// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

struct AttachedBuffer;
class CollectiveInbox;
class PartitionInbox;
struct Data;
class Folder;
class MatchingQueues;
class Payloads;
struct Kept;
class Sampler;

/// Something that goes on while the rank does other things: a non-blocking collective's data plane.
struct Task {
  virtual ~Task() = default;
  /// Does what can be done now; true once all is done. Called from the progress loop: whenever messages may have
  /// arrived or may have been taken. It may post messages, but never waits.
  virtual bool advance() = 0;
};

/// One rank: all state of the library hangs off this object, so that several could live in one process.
///
/// Time plane: `push` sends operations to the kernel. Data plane: payloads, messages of collective calls
/// (`collectives`) and the point-to-point queues (`matching`) move bytes between processes. The two meet only where MPI
/// leaves a choice: then the rank waits for the kernel's answer. `progress` is the only place that reads the inbox;
/// whoever waits does so through `wait_until`, so that peers that wait for room in our inbox always get it: no rank
/// ever sleeps on anything else.
class Rank {
 public:
  Rank(channel::Memory& memory, int world_rank);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  [[nodiscard]] int world_rank() const;
  [[nodiscard]] int world_size() const;
  [[nodiscard]] channel::Memory& memory();
  [[nodiscard]] const channel::Header& settings() const;
  [[nodiscard]] channel::RankBlock& block();

  // --- calls: see call.hpp ----------------------------------------------------------------------------------------
  /// The program enters a routine: computation ends here. Calls nest (callbacks call MPI); only the outermost counts.
  /// @param from where it called; null: not known
  void enter(op::RoutineId routine, const void* from = nullptr);
  void leave();
  [[nodiscard]] bool in_call() const;
  /// Reports computation that was not done, in seconds of this host, with what was measured.
  void add_computation(double seconds);
  /// Seconds of computation reported so far, or with the next operation.
  [[nodiscard]] double computed_s();
  /// Outside of calls: lets others run, at most for so long, which is not computation.
  void pause(std::uint64_t longest_ns);
  [[nodiscard]] Sampler& sampler();
  [[nodiscard]] Folder& folder();
  /// From now on any thread may call MPI, several at the same time. Called inside of a call of the main thread.
  void allow_threads();
  [[nodiscard]] bool allows_threads() const;

  // --- time plane -------------------------------------------------------------------------------------------------
  /// Sends an operation to the kernel. Fills in routine, computation since the last operation and FirstOfCall; makes
  /// progress while the ring is full.
  void push(op::Operation operation);
  /// Sends an operation that is answered: waits for the answer, making progress. The answer is valid until the
  /// next one, a list of completed positions too (see `completed`).
  const channel::ReplySlot& ask(op::Operation operation);
  /// Positions in the request list that the last answer says are complete; valid until the next `ask`.
  [[nodiscard]] std::span<const std::uint32_t> completed() const;
  /// Dense numbers from 1; never 0.
  [[nodiscard]] op::RequestId new_request_id();
  void free_request_id(op::RequestId id);
  /// Simulated time of the program now, in seconds: asks the kernel unless nothing but computation happened since the
  /// last time it did.
  [[nodiscard]] double simulated_now();
  /// A time that the simulation has reached for this rank, without asking. Any thread.
  [[nodiscard]] double last_simulated_s() const;
  /// What the last answer said, in simulated seconds. Any thread, and signal handlers.
  [[nodiscard]] double answered_s() const;

  // --- data plane -------------------------------------------------------------------------------------------------
  /// Drains the inbox, sorts what came, advances tasks. Never sleeps.
  void progress();
  /// Makes progress until `done()`, sleeping on the own doorbell when there is nothing to do.
  template <class Done>
  void wait_until(Done&& done) {
    wait_until(std::forward<Done>(done), [] { return 1; });
  }
  /// Waits as one of several ranks that wait for the same: whoever makes `done()` true wakes them all by
  /// channel::wake_sharers(word).
  template <class Done>
  void wait_together(std::atomic<std::uint32_t>& word, Done&& done) {
    wait_until(
        std::forward<Done>(done), [] { return 1; }, &word);
  }
  /// Waits as a rank that need not be woken before `missing()` more messages of collective calls have come.
  template <class Done, class Missing>
  void wait_until(Done&& done, Missing&& missing, std::atomic<std::uint32_t>* word = nullptr) {
    struct Wait final : Waiting {
      Wait(Done& done, Missing& missing) : done_(done), missing_(missing) {}
      bool done() override { return static_cast<bool>(done_()); }
      std::int32_t missing() override { return static_cast<std::int32_t>(missing_()); }
      Done& done_;
      Missing& missing_;
    } waiting(done, missing);
    wait(waiting, word);
  }

  /// Whether bytes handed over may be changed again. Wait for it (`wait_until`) before it is destroyed.
  class SendToken {
   public:
    SendToken() = default;  ///< nothing to wait for
    SendToken(Rank& rank, channel::Offset ack) : rank_(&rank), ack_(ack) {}
    SendToken(SendToken&& other) noexcept : rank_(other.rank_), ack_(std::exchange(other.ack_, 0)) {}
    SendToken& operator=(SendToken&& other) noexcept {
      std::swap(rank_, other.rank_);
      std::swap(ack_, other.ack_);
      return *this;
    }
    [[nodiscard]] bool done();
    [[nodiscard]] explicit operator bool() { return done(); }

   private:
    Rank* rank_ = nullptr;
    channel::Offset ack_ = 0;
  };

  [[nodiscard]] CollectiveInbox& collectives();
  [[nodiscard]] PartitionInbox& partitions();

  /// Reads all payloads that are still with their senders, which may then go on.
  void fetch_ahead();
  /// Lets senders whose payloads will not be read any more see that this rank has left.
  void wake_unfetched();
  void add_task(std::shared_ptr<Task> task);  ///< dropped once `advance` gave true
  [[nodiscard]] bool has_tasks() const;

  // --- point-to-point: see matching.hpp, payload.hpp ---------------------------------------------------------------
  [[nodiscard]] MatchingQueues& matching();
  [[nodiscard]] Payloads& payloads();
  /// Puts a message into the inbox of `dest`, waiting for room while making progress. Dropped when `dest` has
  /// finalised.
  void post(int dest, const channel::Message& head, std::span<const std::byte> payload);
  [[nodiscard]] std::uint32_t next_send_sequence();  ///< once per Isend operation
  /// What the tool interface tells.
  struct Counters {
    std::uint64_t operations = 0;  ///< pushed
    std::uint64_t messages = 0;    ///< point-to-point, sent
    std::uint64_t bytes = 0;       ///< of these
  };
  [[nodiscard]] const Counters& counters() const;
  [[nodiscard]] AttachedBuffer& attached_buffer();
  /// Phases of the program (MPI_Pcontrol): calls count in the innermost.
  void begin_phase(std::uint32_t phase);
  bool end_phase();  ///< false: none has begun
  /// Freed receives of which the kernel has not said yet what they took.
  [[nodiscard]] std::vector<std::unique_ptr<Request>>& orphans();

 private:
  struct Waiting {
    virtual bool done() = 0;
    virtual std::int32_t missing() = 0;

   protected:
    ~Waiting() = default;
  };
  void wait(Waiting& waiting, std::atomic<std::uint32_t>* shared_word);
  [[nodiscard]] op::Measurement measurement();
  void send_to_kernel(op::Operation& operation);
  const channel::ReplySlot& take_answer(const channel::ReplySlot& reply);

  // --- several threads: see rank_threads.cpp ---
  void set_apart(op::Operation& operation);
  void await_own_answer();
  const channel::ReplySlot& ask_among_threads(op::Operation& operation);
  void wait_among_threads(Waiting& waiting, bool woken_elsewhere);
  void let_others_look();

  struct State;
  std::unique_ptr<State> state_;
};

/// The rank of the calling process; MPI must be initialised.
[[nodiscard]] Rank& this_rank();
/// The rank of the calling process, or null before MPI_Init and after MPI_Finalize.
[[nodiscard]] Rank* rank_if_running();

}  // namespace orrery::mpi
