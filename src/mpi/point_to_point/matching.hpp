// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mpi/point_to_point/kept.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/point_to_point/tag_lists.hpp"

namespace orrery::mpi {

class Receives;
struct Receive;

[[nodiscard]] inline int tag_of(const Receive& receive);

/// A receive on the data plane: what it accepts, where the bytes go, and what came.
struct Receive {
  Data into;
  op::CommId comm = 0;
  std::int32_t source = any_source;  ///< world rank
  int tag = any_tag;

  bool done = false;  ///< the bytes are there; then:
  std::int32_t matched_source = any_source;
  int matched_tag = any_tag;
  std::uint32_t sequence = 0;
  std::int64_t bytes = 0;  ///< of the message: more than `into.bytes()` when it was truncated

  Receive* next = nullptr;
  Receive* previous = nullptr;
  TagLinks<Receive> tag_links;
  Receives* list = nullptr;  ///< that it stands in
  std::uint64_t order = 0;   ///< of posting
};

int tag_of(const Receive& receive) { return receive.tag; }

/// Receives in the order in which they were posted.
class Receives {
 public:
  void append(Receive& receive);
  void remove(Receive& receive);
  [[nodiscard]] Receive* first() const { return queue_.first(); }
  /// The first that accepts a message of this tag; null if none does.
  [[nodiscard]] Receive* first_for(int tag);

 private:
  TagQueue<Receive> queue_;
};

/// The posted-receive queue and the unexpected-message queue of one rank.
///
/// Messages of one source arrive in the order in which they were sent, so that a receive that names its source can be
/// matched here, whatever the simulated time: first message that fits, first receive that fits. Only the kernel knows
/// what a receive of any source takes, and hence also what those posted behind it take that could take the same: these
/// receives are *undecided* until the kernel has said which message (source, sequence) each one took.
class MatchingQueues {
 public:
  explicit MatchingQueues(Payloads& payloads) : payloads_(payloads) {}

  /// Whether the kernel must choose the message of a receive that is posted now.
  [[nodiscard]] bool kernel_chooses(op::CommId comm, std::int32_t source, int tag) const;
  /// Posts a receive that names its source: it takes the first message that fits, now or when it comes.
  void post(Receive& receive);
  /// Posts a receive whose message the kernel chooses.
  void post_undecided(Receive& receive);
  /// The kernel chose: the message, if it has arrived, is received. @return whether it has; else ask again after
  /// progress
  [[nodiscard]] bool decide(Receive& receive, std::int32_t source, std::uint32_t sequence);
  /// The kernel says that it was cancelled. If it took a message here, which then was not yet sent in simulated time,
  /// that message goes to the next receive in line.
  void withdraw(Receive& receive);
  /// Nobody wants to know any more.
  void forget(Receive& receive);

  /// A message has come; `record` is freed by the caller.
  void arrived(const channel::Message& record);
  /// Takes a message that a matched probe found; null if it has not arrived yet.
  [[nodiscard]] Kept::Owner take(op::CommId comm, std::int32_t source, std::uint32_t sequence);
  /// Whether payloads of unexpected messages may still be with their senders; `fetch_ahead` reads them all.
  [[nodiscard]] bool has_unfetched() const { return has_unfetched_; }
  void fetch_ahead();
  /// Receives a message that has been taken.
  void deliver(Receive& receive, const channel::Message& head, const std::byte* inline_bytes);

 private:
  /// What goes on between this rank and one source in one communicator.
  struct Lane {
    Receives posted;
    Receives matched;  ///< done, but not forgotten: a cancellation may still change what they got
    KeptQueue unexpected;
  };

  [[nodiscard]] Lane& lane(op::CommId comm, std::int32_t source);
  [[nodiscard]] Kept* find(op::CommId comm, std::int32_t source, std::uint32_t sequence);
  void match(Lane& lane, Receive& receive);
  void take_back(Lane& lane, Receive& receive);

  Payloads& payloads_;
  std::unordered_map<std::uint64_t, Lane> lanes_;  ///< by communicator and source
  Receives undecided_;
  std::uint64_t posted_ = 0;
  bool has_unfetched_ = false;
};

}  // namespace orrery::mpi
