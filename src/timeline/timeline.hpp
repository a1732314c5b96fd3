// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/file.hpp"

/// What an interactive picture of a run needs, out of its trace: what ranks did when, which messages went where, why
/// ranks waited, and which chain of computation and waiting made the run as long as it was.
///
/// The streams of all ranks are merged in the order of time, so that a message, a wait and its cause are known as they
/// pass; what is kept of them is bounded by `Limits`. Where there are more events than that, the trace is read a second
/// time, for those that turned out to matter. All times are nanoseconds since the start of the run.
namespace orrery::timeline {

/// What a rank does.
enum class State : std::uint8_t {
  Compute,     ///< it is outside of MPI
  Send,        ///< it starts or does a send
  Receive,     ///< it starts or does a receive, or probes
  Wait,        ///< it waits for requests, or tests them
  Collective,  ///< it takes part in a collective call, or makes a communicator
  OneSided,    ///< it is in a routine of windows
  File,        ///< it is in a routine of files
  Other,       ///< it is in another routine of MPI
};
inline constexpr std::size_t states = 8;

/// Why a rank waited.
enum class Cause : std::uint8_t {
  LateSender,    ///< it was blocked in a receive, a wait or a probe before the send of the message began
  LateReceiver,  ///< it was blocked in a send, or waited for one, before the receive was posted
  Imbalance,     ///< it was in a collective call before the last member came (bcast, scatter: before the root came;
                 ///< reduce, gather: only the root waits); not said of scans and of collectives among neighbours
};
inline constexpr std::size_t causes = 3;

/// How much is kept.
struct Limits {
  std::size_t cells = 2'000'000;  ///< ranks times buckets of the finest level; every rank has one bucket at least
  std::size_t buckets = 16'384;   ///< of a rank in the finest level
  std::size_t events = 400'000;   ///< intervals and messages together; segments of the critical path
  std::size_t waits = 100;        ///< single waits: the longest
  std::int64_t axis_ns = 0;  ///< what the levels cover at least, so that those of several traces have equal buckets
};

/// States of all ranks in buckets of one length. Levels get coarser by a factor of 4 each.
struct Level {
  std::int64_t bucket_ns = 1;
  std::uint32_t buckets = 0;
  /// By rank, then bucket. Bits 4 s to 4 s + 3: the fifteenths of the bucket that the rank spent in state s. They add
  /// up to 15 where the rank's stream covers the bucket. Four bits are 7 %, less than a pixel's colour shows.
  std::vector<std::uint32_t> cells;
};

/// A call of an MPI routine.
struct Interval {
  std::int64_t begin_ns, end_ns;
  std::int64_t bytes;  ///< of its message; of collectives as op::Operation::bytes
  std::uint32_t rank;
  std::uint32_t comm;
  std::uint16_t routine;  ///< in the file's table of routines
  std::uint16_t ran;      ///< algorithm of a collective, in the file's table of algorithms; 0: not known
  State state;            ///< of the longest of its operations
};

struct Message {
  std::int64_t begin_ns;  ///< of the send
  std::int64_t end_ns;    ///< of the call that completed the receive: the receive, or the wait or test of its request
  std::int64_t bytes;
  std::uint32_t from, to;
  std::int32_t tag;
  std::uint32_t comm;
  std::uint64_t sent_by;       ///< operation that began it, in the stream of its rank
  std::uint64_t received_by;   ///< operation that posted the receive
  std::uint64_t completed_by;  ///< operation after which the receive was over: itself, or a wait or test
  bool timed;                  ///< the trace says when these were; not so of threads that wait while others go on
};

/// One wait.
struct Wait {
  std::int64_t begin_ns, end_ns;  ///< the end is when the other side came
  std::uint32_t rank;
  std::uint32_t by;  ///< for which rank it waited
  std::uint16_t routine;
  Cause cause;
};

/// All waits of a rank in a routine for the same reason.
struct WaitSum {
  std::uint32_t rank;
  std::uint16_t routine;
  Cause cause;
  std::uint64_t waits = 0;
  std::int64_t total_ns = 0;
};

/// A piece of the critical path: a rank in a call, or outside of MPI (routine 0, Compute).
struct Segment {
  std::int64_t begin_ns, end_ns;
  std::uint32_t rank;
  std::uint16_t routine;
  State state;
};

/// From the rank that ended last back through what it waited for: without any of it the run would have been shorter.
struct Path {
  std::vector<Segment> segments;                   ///< in the order of time; each begins where the one before ends
  std::array<std::int64_t, states> by_state_ns{};  ///< of the whole path
  std::vector<std::int64_t> by_rank_ns;            ///< by rank
  std::uint64_t changes = 0;                       ///< how often it goes from one rank to another
  std::uint64_t joined = 0;  ///< segments that were too many, and are part of a neighbour of the same rank, or, where
                             ///< the path changes ranks more than 4 million times, of another
};

/// What could not be told.
struct Unknown {
  std::uint64_t sends = 0;        ///< for which the trace has no receive
  std::uint64_t receives = 0;     ///< for which it has no send, or does not say what they took
  std::uint64_t collectives = 0;  ///< calls in which not all members took part, or of unknown communicators
  std::uint64_t threads = 0;      ///< operations in which a thread waited while others went on: times overlap
};

struct Timeline {
  std::uint32_t ranks = 0;
  std::int64_t end_ns = 0;  ///< of the last call
  std::uint64_t operations = 0, calls = 0, messages = 0;
  bool complete = true;  ///< `intervals` and `sent` are all that there are
  std::vector<Level> levels;
  std::vector<Interval> intervals;      ///< by rank, then begin
  std::vector<Message> sent;            ///< by begin
  std::vector<WaitSum> wait_sums;       ///< by rank, routine, cause
  std::vector<std::int64_t> caused_ns;  ///< by rank: how long others waited for it
  std::vector<Wait> longest;            ///< the longest first
  Path path;
  Unknown unknown;
  std::vector<std::uint32_t> cut_off;  ///< ranks whose streams do not come to their ends
};

/// Thrown where `stop` became true.
struct Interrupted {};

/// Memory: 32 bytes for each cell, 100 for each event of `limits`, about 1,000 for each rank, 100 for each message
/// under way.
/// @throws InputError when the trace does not say when anything happened   @throws Interrupted
[[nodiscard]] Timeline read(const trace::File& file, const Limits& limits = {},
                            const std::atomic<bool>* stop = nullptr);

/// When the last call of the trace ends. @throws InputError when the trace does not say when anything happened
[[nodiscard]] std::int64_t end_of_run(const trace::File& file);

}  // namespace orrery::timeline
