// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collective/shared_elements.hpp"
#include "kernel/event_queue.hpp"
#include "kernel/files.hpp"
#include "kernel/kernel.hpp"
#include "kernel/matching.hpp"
#include "kernel/one_sided.hpp"
#include "kernel/pool.hpp"
#include "kernel/profile.hpp"
#include "kernel/sending.hpp"
#include "node/handling.hpp"
#include "node/interrupts.hpp"
#include "node/processors.hpp"
#include "node/progress.hpp"

namespace orrery::kernel {

/// A message from the time it is posted until it is both matched and there. Its index is its TransferId.
struct Message : Queued {
  std::int32_t dest = 0;
  std::uint32_t sequence = 0;  ///< among the point-to-point sends of its source
  Bytes bytes;
  SimTime sent;
  SimTime visible;  ///< when its envelope has arrived
  SimTime cts_at;   ///< when its receiver has written the CTS
  Duration recv_overhead;
  Duration rts_delay;    ///< transport::Transport::rts_delay
  Duration idle_before;  ///< node::Interrupts::idle when its transfer began
  network::Protocol protocol = network::Protocol::Asynchronous;
  bool dropped = false;                                        ///< Optimistic: no receive was posted when it came
  bool fetched = false;                                        ///< and its data come again
  bool held = false;                                           ///< Asynchronous: its sender waits for room
  bool queued = false;                                         ///< in the unexpected-message queue of `dest`
  bool announced = false;                                      ///< an event at `visible` is scheduled
  bool arrived = false;                                        ///< its data is there
  std::uint32_t send_request = none;                           ///< of a sender that waits: completes with the transfer
  std::uint32_t recv_request = none;                           ///< once matched
  std::uint32_t next_visible = none, previous_visible = none;  ///< unexpected point-to-point messages by `visible`
  std::uint32_t one_sided = none;                              ///< the operation that it is a leg of
  bool cts_written = false;                                    ///< its receiver has seen the RTS
  bool last_partition = false;                                 ///< of a partitioned send

  void follow(const SendPlan& plan) {
    protocol = plan.protocol;
    sent = plan.posted;
    visible = plan.visible;
    recv_overhead = plan.recv_overhead;
    rts_delay = plan.rts_delay;
    held = plan.held();
  }
};

/// A request of one rank or of one collective algorithm.
struct Request : Queued {
  enum class Kind : std::uint8_t { Send, Receive, Collective, OneSided, Join, Partitioned, File };

  Kind kind = Kind::Send;
  bool complete = false;
  bool paid = false;  ///< its receive overhead has been charged
  bool cancelled = false;
  bool detached = false;        ///< nobody will ask for it: freed when it completes
  bool wants_match = false;     ///< kept after its completion until Match asks for it
  bool posted = false;          ///< in a queue of posted receives
  std::int32_t rank = 0;        ///< who posted it
  std::int32_t peer = 0;        ///< for reports
  std::uint32_t waiter = none;  ///< cursor that waits for it
  std::uint32_t join = none;    ///< request that it is part of
  std::uint32_t parts = 0;      ///< Join: parts that are not complete; Partitioned: its index in `partitions`
  SimTime posted_at;            ///< receives
  Duration overhead;            ///< receives: T3, due when the request is waited for
  std::int32_t matched_source = op::any_source, matched_tag = op::any_tag;
  std::uint32_t sequence = 0;
  Bytes bytes;
  std::uint32_t pending = 0;  ///< one-sided operations that it counts; Join: partitions that are still to be posted
  /// Of these, those that take effect in order and have not, in the order of their calls.
  std::uint32_t first_ordered = none, last_ordered = none;
};

/// What has come of a partitioned receive. Partitions of a send are equally long, so that their number says where they
/// lie.
struct Partitions {
  Bytes matched, arrived;
  bool all = false;                        ///< the last that its sender posted has been matched
  std::int64_t partition = 0;              ///< bytes of one, as the sender divides them; 0: none has come yet
  std::unordered_set<std::uint32_t> here;  ///< numbers: a set, as a damaged trace may have any

  void reset() {
    matched = arrived = {};
    partition = 0;
    all = false;
    here.clear();
  }
};

/// A collective call that a cursor is executing.
struct Frame {
  op::Script script;
  Context context = 0;
  std::span<const std::int32_t> members;
  std::size_t first_member = 0;         ///< whom the script calls 0
  std::vector<std::uint32_t> requests;  ///< by the script's request id
  std::vector<std::int64_t> counts;     ///< copy, for a non-blocking call that outlives its operation
  op::RoutineId routine = 0;
  std::uint32_t use = 0;  ///< in `algorithm_uses`
  op::CommId comm = 0;
  std::uint32_t request = none;  ///< non-blocking: completes when the script ends

  /// World rank of whom the script calls `peer`: of an inter-communicator, its own group comes first for everyone.
  [[nodiscard]] std::int32_t world(std::int32_t peer) const {
    const std::size_t position = first_member + static_cast<std::size_t>(peer);
    return members[position < members.size() ? position : position - members.size()];
  }
  void reset() {
    script = {};
    requests.clear();
    counts.clear();
    request = none;
  }
};

/// Where a rank, or one of its non-blocking collectives, is in its stream.
struct Cursor {
  enum class State : std::uint8_t {
    Ready,     ///< reads its next operation at `clock`
    Computes,  ///< before the operation that it has read; only where ranks share processors
    Begins,    ///< has read one; it begins at `clock`, after the computation
    Leaves,    ///< the collective that it is inside of is over at `clock`
    Resumes,   ///< at `clock`, one of the requests that it waits for is complete
    Wakes,     ///< one was complete at `clock`; where ranks share processors, when it is its turn
    Waits,     ///< for requests, or for a message (Probe)
    Parked,    ///< nothing came, but threads of the rank wait for answers, or it waits outside: it is not waited for
    Ended,
  };

  State state = State::Ready;
  std::int32_t rank = 0;
  std::uint32_t serial = 0;  ///< 0: the rank's own stream
  SimTime clock;
  SimTime begun;                           ///< when the present operation of the stream began
  std::uint32_t remaining = 0;             ///< requests that a WaitAll still waits for
  std::uint32_t own_request = none;        ///< of a blocking operation
  std::uint32_t frame = none;              ///< collective that it is inside of
  const op::Operation* current = nullptr;  ///< `operation`, or the one that the frame's script yielded
  op::Operation operation;                 ///< last of the stream
  Duration to_compute;                     ///< Computes: what is left
  bool sliced = false;                     ///< Computes: it has done a part of it in this turn
  bool waited = false;                     ///< for its turn on a shared processor
  bool will_rest = false;                  ///< an event will look whether it sleeps
  bool from_afar = false;                  ///< Wakes, Resumes: by a message from another node, in its sleep
  std::uint32_t thread = 0;                ///< who is answered, of an operation Apart
  std::vector<op::RequestId> requests;     ///< lists of an operation Apart
  std::vector<std::int64_t> counts;
};

/// State of one rank besides its cursor.
struct RankState {
  std::vector<std::uint32_t> requests;  ///< by request id
  Bins posted;                          ///< receives of a known source
  List wildcards;                       ///< receives of any source
  Bins unexpected;
  std::uint32_t first_visible = none, last_visible = none;
  std::vector<std::uint32_t> taken;  ///< messages that a matched probe took
  std::uint32_t sends = 0;           ///< point-to-point sends so far: the next sequence
  std::uint32_t collectives = 0;     ///< non-blocking ones so far: the next serial
  std::vector<std::uint32_t> phases;
  RankProfile profile;
  SimTime end;
  std::uint32_t threads_waiting = 0;   ///< in operations Apart
  std::uint32_t threads_running = 0;   ///< believed to: they were answered, or sent something, since they waited
  std::vector<std::uint32_t> probing;  ///< cursors Apart that wait in a probe
};

struct Simulation::State {
  State(Config config, transport::Transport& transport, const collective::Selector& selector, op::Streams& streams,
        Groups& groups);

  std::optional<Deadlock> run();
  void go_ahead();
  void step(std::uint32_t cursor);

  // --- cursors (cursors.cpp) ---
  void schedule(std::uint32_t cursor);
  [[nodiscard]] bool reads_ahead(const Cursor& cursor) const;
  [[nodiscard]] bool goes_ahead(const Cursor& cursor) const;
  [[nodiscard]] bool may_begin_early(const Cursor& cursor) const;
  [[nodiscard]] bool fetch(std::uint32_t cursor);
  void begin(std::uint32_t cursor);
  void go_on(Cursor& cursor);  ///< the present operation is over at cursor.clock
  void end_frame(Cursor& cursor);
  void finish(Cursor& cursor);
  void begin_collective(std::uint32_t cursor);
  [[nodiscard]] collective::Choice choose(const Cursor& cursor, const collective::Call& call) const;
  [[nodiscard]] bool needs_places(const op::Operation& operation) const;
  [[nodiscard]] const collective::Places* places_of(op::CommId comm, std::span<const std::int32_t> members);
  void begin_service(Cursor& cursor);
  void be_born(SimTime at);
  void answer(Cursor& cursor, op::Reply reply);

  // --- processors that ranks share (turns.cpp) ---
  [[nodiscard]] bool lacks_turn(std::uint32_t cursor);
  void wake_processor(std::uint32_t cursor);
  void go_on_after_waiting(Cursor& cursor);
  void rest(std::uint32_t cursor);
  void fall_asleep(std::uint32_t cursor);
  void leave(std::uint32_t cursor);
  void give_turns();
  void pause(std::uint32_t index);
  void compute(std::uint32_t cursor);
  void wake(std::uint32_t cursor);
  void count_sent(std::int32_t rank, op::RoutineId routine, Bytes bytes);
  void account(const Cursor& cursor, op::RoutineId routine, Duration time);
  void go_to(SimTime time);
  void handle_frames(const Message& message);

  // --- threads of ranks (apart.cpp) ---
  void begin_apart(std::uint32_t cursor);
  void end_apart(Cursor& cursor);
  void answer_thread(Cursor& cursor, op::Reply reply);
  [[nodiscard]] bool await(std::uint32_t cursor);
  void tell_times_ahead(std::int32_t late);
  void hear_parked();
  void wait_for_threads();
  [[nodiscard]] bool probes(std::int32_t rank) const;
  void wake_probes(std::int32_t rank);

  // --- sends (sending.cpp) ---
  void begin_send(std::uint32_t cursor);
  [[nodiscard]] std::uint32_t new_message(const Cursor& cursor);
  [[nodiscard]] std::uint32_t open_send_request(Cursor& cursor, std::uint32_t message, const SendPlan& plan);

  // --- messages (messages.cpp) ---
  void begin_receive(std::uint32_t cursor);
  [[nodiscard]] std::uint32_t open_receive_request(Cursor& cursor);
  [[nodiscard]] bool takes_what_is_there(const Cursor& cursor) const;
  void receive_taken(std::uint32_t cursor, std::uint32_t request);
  using Side = node::Side;
  [[nodiscard]] SimTime handle(Side side, const Cursor& cursor, std::int32_t peer, Duration overhead);
  void start_transfer(std::uint32_t message, SimTime receive_posted);
  void deliver(std::uint32_t message);
  void post(std::uint32_t request);
  void match(std::uint32_t request, std::uint32_t message);
  void rematch(std::int32_t rank, Context context, std::int32_t source);
  void enqueue(std::uint32_t message);
  void dequeue(std::uint32_t message);
  void announce(std::uint32_t message);
  void envelope_arrived(std::uint32_t message);
  void transfer_ended(std::uint32_t message);
  void fetch_dropped(std::uint32_t message);
  void release_sender(std::uint32_t message);
  void release_message(std::uint32_t message);
  [[nodiscard]] std::uint32_t first_unexpected(const RankState& rank, const Queued& wanted) const;
  [[nodiscard]] std::uint32_t first_wildcard(const RankState& rank, const Message& message) const;

  // --- rendezvous of ranks in calls (rendezvous.cpp) ---
  [[nodiscard]] bool attends(std::int32_t rank) const;
  void answer_rts(std::uint32_t message);
  void write_cts(std::uint32_t message, SimTime at);
  void attend(const Cursor& cursor);

  // --- one-sided (one_sided.cpp, locks.cpp) ---
  void begin_one_sided(std::uint32_t cursor);
  void start_leg(std::uint32_t operation, std::int32_t from, std::int32_t to, Bytes bytes);
  void leg_ended(std::uint32_t operation);
  void take_effects(std::uint32_t epoch);
  void reply_leg(std::uint32_t operation);
  void acknowledge(std::uint32_t operation);
  void finish_one_sided(std::uint32_t operation);
  void one_sided_event(std::uint32_t operation);
  std::uint32_t counted(Cursor& cursor, op::RequestId id);
  void begin_lock(std::uint32_t cursor);
  void lock_arrived(std::uint32_t operation);
  void grant_all(WindowLocks& window);
  void grant_target(WindowLocks& window, TargetLock& target);
  void grant(std::uint32_t operation);
  [[nodiscard]] platform::HostId lock_host(const OneSided& lock);
  void unlock_arrived(std::uint32_t operation);
  [[nodiscard]] std::int32_t lock_holder(const op::Operation& lock) const;

  // --- requests of several parts (parts.cpp) ---
  void begin_join(Cursor& cursor);
  void finish_part(std::uint32_t join);
  void finish_receive_part(const Request& part);
  void begin_partitioned_receive(Cursor& cursor);
  void match_partition(std::uint32_t request, std::uint32_t message);
  void partition_arrived(std::uint32_t request, const Message& message);
  void answer_arrived(Cursor& cursor);

  // --- files (files.cpp) ---
  [[nodiscard]] FileState& file_of(const op::Operation& operation);
  [[nodiscard]] storage::Storage& storage_made();
  void begin_access(std::uint32_t cursor);
  void use_metadata(Cursor& cursor);
  void move_shared_position(Cursor& cursor);
  void lock_file(std::uint32_t cursor);
  void file_locked(Cursor& cursor);
  void unlock_file(Cursor& cursor);
  void accesses_ended(SimTime when);

  // --- waiting (waiting.cpp) ---
  [[nodiscard]] std::uint32_t& slot(Cursor& cursor, op::RequestId id);
  [[nodiscard]] std::uint32_t request_of(Cursor& cursor, op::RequestId id);
  void complete(std::uint32_t request);
  void pay(Cursor& cursor, Request& request, Side side = Side::Receive);
  void wait_for(std::uint32_t cursor, std::uint32_t request);
  void begin_wait_all(std::uint32_t cursor);
  void begin_wait_some(std::uint32_t cursor);
  void resume(std::uint32_t cursor);
  void consume(Cursor& cursor, op::RequestId id);
  void test(std::uint32_t cursor);
  void probe(std::uint32_t cursor);
  [[nodiscard]] bool probe_now(Cursor& cursor);
  void cancel(Cursor& cursor);
  void let_go(std::uint32_t send);
  void free_request(Cursor& cursor);
  void answer_match(Cursor& cursor);
  std::span<const std::uint32_t> collect(Cursor& cursor, bool only_one);

  // --- reports (deadlock.cpp) ---
  [[nodiscard]] std::optional<Deadlock> find_deadlock();
  [[nodiscard]] Waiting describe(const Cursor& cursor);

  /// As the network sees it.
  [[nodiscard]] platform::HostId place(std::int32_t rank) const {
    return config.place_of_rank.empty() ? host(rank) : config.place_of_rank[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] platform::HostId host(std::int32_t rank) const {
    return config.host_of_rank[static_cast<std::size_t>(rank)];
  }
  [[noreturn]] void bad_stream(const Cursor& cursor, const std::string& what) const;
  /// Refuses what names a rank that does not exist. @param what "a send to"
  void check_rank(const Cursor& cursor, const char* what, std::int32_t rank) const;
  void report_progress();
  void stop_if_interrupted() const;

  Config config;
  transport::Transport& transport;
  const collective::Selector& selector;
  op::Streams& streams;
  Groups& groups;

  node::Processors processors;
  node::Interrupts interrupts;
  node::Progress attention;
  node::Handling handling;
  Duration slice;      ///< of computation, where ranks share processors
  Duration idle_wake;  ///< until one of these that was idle has woken for a message
  bool known_ahead;    ///< what ranks do next waits for no others nor a processor, and takes the same in any order
  SimTime now;
  EventQueue queue;
  Pool<Message> messages;
  Pool<Request> requests;
  Pool<OneSided> one_sided;
  std::unordered_map<op::CommId, WindowLocks> locks;  ///< of windows that were ever locked
  Pool<Partitions> partitions;
  std::unordered_map<op::CommId, FileState> files;
  std::uint32_t files_opened = 0;
  std::unique_ptr<storage::Storage> storage;  ///< null before the first access to a file
  FileUse file_use;
  AlgorithmUses algorithm_uses;
  Pool<Frame> frames;
  collective::SharedElements elements;
  Pool<Cursor> cursors;  ///< those of the ranks have their world rank as index
  std::vector<RankState> ranks;
  std::uint64_t posted = 0;  ///< receives and messages so far: their order
  std::uint64_t sent = 0;
  Bytes sent_bytes;
  std::uint64_t events = 0;
  std::uint32_t stepping = none;  ///< cursor whose step is under way
  std::uint64_t next_report = 0;  ///< in events; they come in batches, so it may be passed by many
  std::uint32_t alive = 0;
  std::uint32_t born = 0;  ///< ranks that have begun; the others have cursors that ended before they did
  std::vector<sharing::TransferId> ended, released;
  std::vector<std::uint32_t> resumed;  ///< cursors that have what they waited for, and whose clocks are ahead
  std::vector<std::uint32_t> positions;
  std::vector<std::uint32_t> parked;  ///< cursors in that state
  std::uint64_t outside_waits = 0;
  std::unordered_map<op::CommId, collective::Places> places;  ///< of communicators whose collectives asked
  std::vector<std::uint32_t> freed_comms;                     ///< members that have freed each communicator
  Progress progress;
};

}  // namespace orrery::kernel
