// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/channel/outside.hpp"
#include "mpi/channel/quiet_turn.hpp"
#include "mpi/channel/warm_parts.hpp"
#include "op/op.hpp"
#include "op/stream.hpp"

/// The channel between the ranks' processes and the kernel, and between ranks: one anonymous shared-memory file,
/// inherited by descriptor, so that nothing with a name can be left behind.
///
/// It holds a header, one block per rank (ring of operations towards the kernel, reply slot, doorbell), one inbox per
/// rank (messages from other ranks: many writers, one reader) and an arena (payloads and lists too long for a ring).
/// Every index names its one writer below. Whoever must wait sleeps on its own doorbell, a futex word that others
/// increment when they see it asleep.
namespace orrery::mpi::channel {

inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t page_bytes = 4096;
[[nodiscard]] constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }
/// Operations that a rank may run ahead of the kernel; a power of two. Many ranks take turns on few cores: the further
/// each may run ahead, the fewer turns it takes.
inline constexpr std::uint32_t ring_records = 512;
/// The kernel writes `ring_head` once in so many operations: a cache line that both sides use for each operation would
/// slow both.
inline constexpr std::uint32_t ring_part = ring_records / 8;
/// Power of two. 1,023 contributions of 8 bytes to a collective fit, so that their receiver can sleep until all are
/// there.
inline constexpr std::size_t inbox_bytes = 64 * 1024;
inline constexpr std::uint32_t inline_requests = 4;  ///< longer request lists go through the arena
inline constexpr std::size_t reply_inline = 16;      ///< more completed positions go through the arena
inline constexpr std::size_t name_bytes = 64;
inline constexpr const char* memory_name = "orrery";        ///< of the shared file, in the mappings of a process
inline constexpr std::size_t max_inline = inbox_bytes / 8;  ///< longest payload inside an inbox

/// Environment of a rank that is started by exec, and of the template process: descriptor of the shared file, rank
/// (absent in the template), descriptor of the socket towards the launcher.
inline constexpr const char* env_memory = "ORRERY_MEMORY_FD";
inline constexpr const char* env_rank = "ORRERY_RANK";
inline constexpr const char* env_launcher = "ORRERY_LAUNCHER_FD";

/// What the kernel wants, besides a rank: `Header::kernel_wants`.
inline constexpr std::int32_t wants_nobody = -1;
inline constexpr std::int32_t wants_anyone = -2;

/// Place in the arena, in bytes from the start of the file; 0 is "none".
using Offset = std::uint64_t;

/// What wakes its owner, who sleeps on the futex word `rings`, or on one that it shares with others who wait for the
/// same. Written by: `sleeping` the owner, and whoever wakes it; `mask` the owner; `rings` whoever wakes it.
struct Doorbell {
  std::atomic<std::uint32_t> rings{0};
  std::atomic<std::uint32_t> mask{~0u};     ///< of those who share a word, who is woken: any with a bit in common
  std::atomic<std::ptrdiff_t> sleeping{0};  ///< 0: awake; otherwise where the word is, in bytes from here

  /// Wakes the owner if it sleeps. Call after publishing what it waits for; the full fence here pairs with the one in
  /// `prepare`: either the owner sees what was published or we see it asleep.
  void ring();
  /// Wakes the owner whether or not it seems to sleep.
  void ring_always();

  /// Owner: announces that it is about to sleep. Check the condition again after it, then `sleep` or `stay_awake`.
  /// @param word of this doorbell or in the same shared memory; whoever publishes what all its sleepers wait for wakes
  /// them with one `wake_sharers`
  [[nodiscard]] std::uint32_t prepare(std::atomic<std::uint32_t>& word);
  [[nodiscard]] std::uint32_t prepare() { return prepare(rings); }
  /// Sleeps until rung (or `timeout_ns` have passed, 0: no limit). Spurious returns are possible.
  void sleep(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t timeout_ns = 0);
  void sleep(std::uint32_t seen, std::uint64_t timeout_ns = 0) { sleep(rings, seen, timeout_ns); }
  void stay_awake();
};

/// Wakes all who sleep on a shared word. Call after publishing what they wait for.
void wake_sharers(std::atomic<std::uint32_t>& word);

/// Where the members of a communicator meet when each needs a few bytes of all: every one writes into its own slot, the
/// last to come combines what is in the slots, and all read the result. One round at a time: a member writes for the
/// next only after it has read the result of the last.
struct Board {
  static constexpr std::size_t room = 48;  ///< bytes in a slot

  /// A few bytes, and how many.
  struct alignas(cache_line) Slot {
    std::int64_t bytes;
    alignas(16) std::byte data[room];
  };

  alignas(cache_line) std::atomic<std::uint32_t> arrived{0};  ///< members, in this round
  alignas(cache_line) std::atomic<std::uint32_t> rounds{0};   ///< that are over; written by the last to come
  std::atomic<std::uint32_t> word{0};  ///< on which those sleep who wait for the end of the round
  Slot result;                         ///< written by the last to come

  /// One per member, by its rank; they follow the board.
  [[nodiscard]] Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
};

/// Computation before an operation and the call site that it belongs to, in 8 bytes. What was measured is a whole
/// number of nanoseconds, which leaves room for the site; whatever else it is travels as a floating-point number,
/// without one.
class Computation {
 public:
  static Computation of(double compute_s, std::uint32_t site);
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::uint32_t site() const;

  static constexpr int site_bits = 24;
  static constexpr int ns_bits = 63 - site_bits;  ///< nine minutes

 private:
  std::uint64_t bits_;  ///< the highest, which no computation's floating-point number has: site, then nanoseconds
};

/// What comes before the record of an operation whose Measurement has more than a site: `bytes` instructions, `element`
/// page faults, `tag` the part with warm caches.
inline constexpr op::Kind measurement{255};

/// An operation as it travels: 64 bytes.
struct alignas(cache_line) Record {
  op::Kind kind;
  op::Mode mode;
  op::CollectiveKind collective;
  std::uint8_t flags;
  op::RoutineId routine;
  std::uint16_t algorithm;
  std::int32_t peer;
  std::int32_t tag;
  op::CommId comm;
  op::RequestId request;
  Computation computation;
  std::int64_t bytes;
  std::uint32_t element;
  std::uint32_t list_length;  ///< requests of a wait, or counts of a v-collective
  union {
    op::RequestId requests[inline_requests];  ///< list_length <= inline_requests and kind is a wait or test
    struct {
      Offset list;          ///< otherwise; the kernel releases it
      std::int64_t extent;  ///< of a collective
    } far;
    std::int64_t effect;  ///< one-sided operations: `Operation::element`
  };
};
static_assert(sizeof(Record) == 64);

/// Whether the list of a record of this kind holds requests; otherwise it holds counts.
[[nodiscard]] constexpr bool takes_requests(op::Kind kind) {
  return kind != op::Kind::Collective && !op::is_file_access(kind);
}

/// The kernel's answer, written by the kernel before it increments `RankBlock::replies`.
struct alignas(cache_line) ReplySlot {
  double now_s;
  std::int64_t bytes;
  std::int32_t source;
  std::int32_t tag;
  std::uint32_t sequence;
  std::uint32_t flag;
  std::uint32_t completed_length;
  std::uint32_t reserved;
  std::uint32_t completed[reply_inline];  ///< or, if longer:
  Offset completed_list;                  ///< the rank releases it
};

/// Answers to one thread of a rank, for which it waits while the rank's stream goes on (op::Apart). Written by the
/// kernel, the slot before the counter.
struct ThreadAnswer {
  std::atomic<std::uint32_t> replies{0};
  ReplySlot reply;
};
inline constexpr std::uint32_t max_threads = 256;  ///< of a rank that wait at the same time

/// What one rank shares with the kernel and its peers.
struct alignas(cache_line) RankBlock {
  // Written by the rank.
  std::atomic<std::uint32_t> ring_tail{0};  ///< operations pushed, modulo 2^32
  std::atomic<std::uint32_t> routine{0};    ///< MPI routine that it is in or was in last
  std::atomic<std::uint32_t> in_call{0};    ///< 1 inside an MPI routine
  std::atomic<std::uint32_t> phase{0};      ///< RankPhase
  std::atomic<std::int32_t> pid{0};
  std::atomic<std::int32_t> thread{0};            ///< that has initialised MPI, as the system numbers it
  std::atomic<std::int32_t> abort_code{0};        ///< argument of MPI_Abort, valid in phase Aborted
  std::atomic<Offset> error_text{0};              ///< arena: the message of a fatal MPI error (zero-terminated), or 0
  std::atomic<std::uint32_t> several_threads{0};  ///< 1: several threads call MPI
  std::atomic<Offset> local_calls{0};             ///< see local_calls.hpp

  // Written by the launcher before the rank starts, of those that a spawn starts.
  std::atomic<op::CommId> world_comm{0};   ///< what MPI_COMM_WORLD is
  std::atomic<op::CommId> parent_comm{0};  ///< between parents and children; 0: it has no parents
  std::atomic<std::int32_t> appnum{0};     ///< which of the programs of its spawn it runs

  // Written by the kernel.
  alignas(cache_line) std::atomic<std::uint32_t> ring_head{0};  ///< operations consumed; published in steps
  std::atomic<std::uint32_t> replies{0};                        ///< answers given

  alignas(cache_line) Doorbell doorbell;  ///< owner: the rank

  // Inbox indices, in bytes, modulo 2^32.
  alignas(cache_line) std::atomic<std::uint32_t> inbox_tail{0};  ///< reserved by any writer (compare-and-swap)
  alignas(cache_line) std::atomic<std::uint32_t> inbox_head{0};  ///< freed by the rank
  /// So many messages of collective calls do not wake the rank; set by the rank before it sleeps, counted down by those
  /// who post them.
  std::atomic<std::int32_t> unwanted{0};
  std::atomic<std::uint32_t> inbox_waiters{0};  ///< 1: a writer found no room and sleeps on its own doorbell; set by
                                                ///< writers, cleared by the rank, which then rings whoever sleeps

  ReplySlot reply;
  std::atomic<Offset> threads[max_threads];  ///< arena: ThreadAnswer, by number - 1; written by the rank
  Record ring[ring_records];
};

enum class RankPhase : std::uint32_t {
  Unborn,     ///< not attached yet
  Running,    ///< between MPI_Init and MPI_Finalize
  Finalized,  ///< MPI_Finalize was called: a process that ends now ends well
  Aborted,    ///< MPI_Abort, or an error that is fatal: `abort_code`, `error_text`
};

/// What a message in an inbox is.
enum class Form : std::uint8_t {
  Inline,  ///< payload follows the header
  Arena,   ///< payload at `place` in the arena; the receiver releases it (`shares`: the last one does)
  Pull,  ///< payload at address `place` of the sender's process; the receiver copies it, then sets `*ack` (arena) to 1
         ///< and rings the sender
  Absent,  ///< the payload is left out (Header::no_data)
};

/// What a message belongs to.
enum class Use : std::uint8_t {
  PointToPoint,
  Collective,  ///< a collective call
  Partition,   ///< a partitioned send
};

/// Header of a message in an inbox; followed by its payload if inline. Records are multiples of 16 bytes; one that
/// would not fit before the end of the inbox is preceded by a filler (`source` -1).
struct alignas(16) Message {
  std::atomic<std::uint32_t> size;  ///< bytes of header and payload, rounded up; 0 until the writer has committed it
  std::int32_t source;              ///< world rank of the sender
  op::CommId comm;
  std::int32_t tag;        ///< collective: number of the call on its communicator
  std::uint32_t sequence;  ///< point-to-point: number among the sends of its source; collective: part; partition: its
                           ///< number, and how many there are (partitioned/request.cpp)
  Use use;
  Form form;
  std::uint16_t pair;   ///< partition: see mpi/partitioned/inbox.hpp
  std::int64_t bytes;   ///< of the payload
  std::uint64_t place;  ///< see Form
  Offset ack;           ///< Pull: the word to set; Arena: the counter of shares, or 0
};
static_assert(sizeof(Message) == 48);

/// How much memory is folded (folded.hpp), in all ranks. Written by the ranks.
struct FoldedUse {
  std::atomic<std::uint64_t> asked{0};       ///< bytes that ranks have now
  std::atomic<std::uint64_t> most_asked{0};  ///< had at once
  std::atomic<std::uint64_t> blocks{0};      ///< that are there for them

  void ask(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { asked.fetch_sub(bytes, std::memory_order_relaxed); }
};

/// Start of the shared file. Written by the launcher before any rank starts, unless said otherwise.
struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t ranks;              ///< that are there from the beginning
  std::uint32_t capacity;           ///< and may be started later
  std::atomic<std::uint32_t> born;  ///< have been started; written by the launcher, later too
  std::uint64_t file_bytes;
  std::atomic<std::uint64_t> mapped_bytes;  ///< of these, what all processes have mapped; lowered by those that attach
  Offset blocks, inboxes, hosts, host_of_rank, comms, arena;
  Offset processors;              ///< by host: how many it has; 0: that is not known
  Offset compute_factors;         ///< see Memory::set_compute_factors
  std::int64_t buffered_limit;    ///< S_d: up to this size a standard send never waits for its receiver
  std::uint32_t measure_compute;  ///< 1: processor time between calls is reported
  std::uint32_t simulated_clock;  ///< 1: clocks and waits of the program follow simulated time
  double compute_scale;           ///< what the kernel multiplies `Operation::compute_s` by on a host of speed 1
  double epoch_s;                 ///< wall-clock seconds that simulated time 0 stands for
  Offset part_of_rank;            ///< by level and rank: number of the part
  Offset level_names;             ///< `name_bytes` each
  Offset part_names;              ///< by level: the place of the names of its parts, `name_bytes` each, or 0
  std::uint32_t levels;           ///< of the hardware, from the largest parts to the smallest
  std::uint32_t hosts_listed;     ///< in `hosts`
  std::uint64_t fold_from;        ///< bytes of the smallest block of the heap that is folded; 0: none is
  Offset fold_block;              ///< what stands for all of these (folded.hpp)
  std::uint32_t no_data;      ///< 1: contents of messages on which programs do not depend are left out (payload.hpp)
  std::uint32_t execute_all;  ///< 1: blocks that the program samples are not skipped
  std::uint32_t may_start_afresh;  ///< 1: the launcher starts all ranks but the first if they should not be forked
  std::uint32_t steady;            ///< 1: computation is charged otherwise than it was measured
  std::uint32_t measure_warm;      ///< 1: regions are measured with warm caches, too
  std::uint32_t spin;              ///< 1: few enough ranks that waiting ones may spin before they sleep

  alignas(cache_line) Doorbell kernel_doorbell;                 ///< owner: the kernel
  std::atomic<std::int32_t> kernel_wants{wants_nobody};         ///< written by the kernel: rank whose next operation
                                                                ///< it waits for; no other can help it
  alignas(cache_line) std::atomic<std::uint32_t> stop{0};       ///< written by the launcher: the run is over, leave
  alignas(cache_line) std::atomic<op::CommId> next_comm{1};     ///< taken by whoever creates a communicator
  alignas(cache_line) std::atomic<std::uint64_t> arena_top{0};  ///< first byte never used; taken by allocators
  std::atomic<Offset> sites{0};                                 ///< see sites.hpp; added to by ranks
  std::atomic<std::int32_t> aborted{0};                         ///< 1 + a rank in phase Aborted; 0: none is
  std::atomic<std::uint32_t> windows{0};                        ///< 1: a rank has made a window; written by ranks
  FoldedUse folded;
  WarmParts warm;
  alignas(cache_line) QuietTurn quiet_turn;
  std::atomic<std::uint64_t> free_lists[192];  ///< by size class: offset/64 in the low 40 bits, a counter above
};

/// Communicators that a run may create; each takes 8 bytes of the directory once it exists.
inline constexpr std::uint32_t max_comms = 1u << 20;

/// How the simulated hardware is divided, such as into cabinets.
struct Level {
  std::string name;
  std::vector<std::uint32_t> part_of_rank;   ///< the number of the part that each is in, of those that come later too
  std::vector<std::string> part_names = {};  ///< by number; none: the parts have no names
};

/// Whether this process runs under valgrind, which can neither map all of the file nor copy the process unseen.
[[nodiscard]] bool is_under_valgrind();

/// The mapped file.
class Memory {
 public:
  /// Creates the file for `ranks` ranks, and `spare` more that may be started later.
  /// @throws InputError when the system refuses
  static Memory create(std::uint32_t ranks, std::uint32_t spare = 0);
  /// Maps the file that another process created. @throws InputError when it is not one of this version
  static Memory attach(int descriptor);

  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] Header& header() const { return *reinterpret_cast<Header*>(base_); }
  [[nodiscard]] RankBlock& block(int world_rank) const;
  [[nodiscard]] std::byte* inbox(int world_rank) const;
  [[nodiscard]] std::byte* at(Offset offset) const { return base_ + offset; }
  template <class T>
  [[nodiscard]] T* as(Offset offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }

  /// Launcher, before any rank starts: names of the simulated hosts, and the host of every rank.
  void set_hosts(std::span<const std::string> names, std::span<const std::uint32_t> host_of_rank);
  /// Launcher, after that: how many processors each host has.
  void set_processors(std::span<const std::uint32_t> of_host);
  /// Launcher, before any rank starts: by rank, simulated seconds for a second of `Operation::compute_s`, where nobody
  /// takes the rank's processor. 1 until then.
  void set_compute_factors(std::span<const double> factors);
  /// Launcher, after that: the levels of the hardware, from the largest parts to the smallest.
  void set_levels(std::span<const Level> levels);
  [[nodiscard]] const char* level_name(int level) const;
  [[nodiscard]] std::uint32_t part_of(int level, int world_rank) const;
  /// Name of that part, such as that of a cluster; empty where parts of this level have none.
  [[nodiscard]] const char* part_name(int level, int world_rank) const;
  [[nodiscard]] const char* host_name(int world_rank) const;
  [[nodiscard]] std::uint32_t host_of(int world_rank) const;
  /// Processors of the host that a rank is on; 0: not known.
  [[nodiscard]] std::uint32_t processors(int world_rank) const;
  [[nodiscard]] double compute_factor(int world_rank) const;

  /// Memory that any process may release. Blocks are 64-byte aligned; classes are 4 per doubling.
  /// @throws std::bad_alloc when the file is used up
  [[nodiscard]] Offset allocate(std::size_t bytes);
  void release(Offset offset, std::size_t bytes);  ///< `bytes` as given to allocate
  /// Gives pages inside a block back to the system; they read as zero then.
  void discard(Offset offset, std::size_t bytes);

  /// World ranks of a communicator's members, registered by its creator before any member uses it.
  /// @param first_group of an inter-communicator, how many of them are the first of its two groups; 0: it is none
  void define_comm(op::CommId comm, std::span<const std::int32_t> world_ranks, std::size_t first_group = 0);
  [[nodiscard]] std::span<const std::int32_t> comm_members(op::CommId comm) const;  ///< empty: not defined
  [[nodiscard]] std::size_t comm_first_group(op::CommId comm) const;
  void release_comm(op::CommId comm);  ///< kernel: when all members have freed it
  /// The board of a communicator, made when first asked for. @throws std::bad_alloc when the file is used up
  [[nodiscard]] Board& board(op::CommId comm);

 private:
  Memory(int descriptor, std::byte* base, std::size_t bytes) : descriptor_(descriptor), base_(base), bytes_(bytes) {}
  void lay_out(std::uint32_t ranks, std::uint32_t spare);
  void use_what_is_mapped();
  void write_name(Offset place, const std::string& name);
  [[nodiscard]] Offset write_names(std::span<const std::string> names);  ///< where they are; 0: there are none

  int descriptor_ = -1;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The rank's end: writes operations, reads answers and messages.
class RankEnd {
 public:
  RankEnd(Memory& memory, int world_rank);

  /// Appends an operation; waits, draining nothing, only if `has_room()` is false: callers wait in their progress loop
  /// first.
  void push(const op::Operation& operation);
  [[nodiscard]] bool has_room();
  /// Tells the kernel to look, if it sleeps until this rank says something. Called before this rank sleeps, when it
  /// needs an answer, and now and then when it does not: between two such moments the kernel has nothing better to do
  /// than what it already knows.
  void wake_kernel();

  /// Answers received so far; compare before and after `push`. `reply()` is valid until the next operation that is
  /// answered.
  [[nodiscard]] std::uint32_t replies() const;
  [[nodiscard]] const ReplySlot& reply() const;
  /// Answers to the thread of this number, from 1 to max_threads.
  [[nodiscard]] const ThreadAnswer& thread_answer(std::uint32_t number);

  /// Writes a message into the inbox of `dest`, header and payload (`head.size` is set here; `payload` only for
  /// Inline), and wakes it.
  /// @return false when there is no room now: drain the own inbox, then try again
  /// @pre payload.size() <= max_inline
  [[nodiscard]] bool try_post(int dest, const Message& head, std::span<const std::byte> payload);

  /// Before sleeping: the first `unwanted` messages of collective calls from now on do not wake this rank. Look into
  /// the inbox afterwards, and sleep only if it is `empty` then: what comes later will be counted.
  void sleep_through(std::int32_t unwanted);
  /// Nothing is in the inbox, nor being written to it. (One that is being written hides those behind it.)
  [[nodiscard]] bool empty() const;

  /// The oldest message of the own inbox, or null; `pop` frees it.
  [[nodiscard]] const Message* front();
  void pop();

 private:
  Memory& memory_;
  int rank_;
  RankBlock& block_;
  std::uint32_t head_seen_ = 0;  ///< `ring_head` when it was looked at last
};

class Computations;
class Standstill;

/// Ranks that may have waited for others by reading memory in a loop (computations.hpp).
struct MemoryWaits {
  std::uint32_t ranks = 0;
  double seconds = 0;  ///< of processors of this host, for which others went on meanwhile
};

/// The kernel's end: the streams of all ranks, read from their rings. `wait` sleeps on the kernel's doorbell; it throws
/// `Interrupted` when the launcher asks (`interrupt`), `AtStandstill` when no rank will say anything any more.
class KernelEnd final : public op::Streams {
 public:
  struct Interrupted {};
  struct AtStandstill {};

  explicit KernelEnd(Memory& memory);
  ~KernelEnd() override;

  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  void wait(WorldRank rank) override;
  void reply(WorldRank rank, const op::Reply& reply) override;
  /// `effect`: place of an `Effect` in the arena (channel/effects.hpp), or 0 for one that has happened.
  void take_effect(WorldRank origin, std::int64_t effect) override;
  [[nodiscard]] bool ready(WorldRank rank) override;
  void wait_for_any(double longest_s) override;
  [[nodiscard]] bool computes(WorldRank rank) override;
  [[nodiscard]] bool computes_on(WorldRank rank) override;
  [[nodiscard]] bool waits_outside(WorldRank rank) override;

  /// Any thread: makes `wait` throw, now and from now on.
  void interrupt();
  [[nodiscard]] bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  [[nodiscard]] const MemoryWaits& memory_waits() const;

 private:
  /// What the kernel's side remembers of one ring.
  struct alignas(cache_line) Reader {
    std::uint32_t head = 0;        ///< next record to read
    std::uint32_t tail = 0;        ///< `ring_tail` when it was looked at last
    bool holds = false;            ///< the operation before is still in use
    bool computes_on = false;      ///< a part of the computation before the next operation comes first
    std::uint32_t list_bytes = 0;  ///< of its list in the arena, to be released when it is used no more
    Offset list = 0;
    double told_s = 0;                        ///< of the computation before the next operation
    op::RequestId requests[inline_requests];  ///< of that operation, if they are few
  };

  void give_back(Reader& reader);
  void lend_list(Reader& reader, const Record& record, op::Operation& operation);
  void publish_head(const Reader& reader, RankBlock& block);
  void fill(ReplySlot& slot, const op::Reply& reply);
  /// No rank will ever say anything, for all that was seen now and a while ago.
  [[nodiscard]] bool at_standstill();

  Memory& memory_;
  std::atomic<bool> interrupted_{false};
  std::vector<Reader> readers_;
  std::unique_ptr<Computations> computations_;
  std::unique_ptr<Standstill> standstill_;
  std::chrono::steady_clock::time_point last_look_{};
  OutsideWatch outside_;
};

}  // namespace orrery::mpi::channel
