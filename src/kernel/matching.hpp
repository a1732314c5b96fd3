// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "kernel/clock.hpp"
#include "kernel/message.hpp"
#include "kernel/request.hpp"
#include "kernel/unreceived.hpp"

namespace orrery::kernel {

/// Which message meets which receive (MPI-4.1, section 3.5: messages of one sender do not overtake each other, receives
/// are served in the order in which they were posted).
///
/// Each rank has a posted-receive queue and an unexpected-message queue. A receive of a known source meets its message
/// as soon as both are posted, because the outcome cannot depend on time. A receive of any source takes the message
/// whose envelope arrives first, so it only sees envelopes that have arrived.
///
/// This says who meets whom. What follows from it is for others to do (kernel/delivery.hpp).
class Matching {
 public:
  struct Pair {
    RequestIndex request = none;
    MessageIndex message = none;
  };

  Matching(Clock& clock, Pool<Message>& messages, Pool<Request>& requests, std::size_t ranks);

  // --- messages and receives are posted ---

  /// A message has been sent. @return the receive that it meets; none: it is in the unexpected-message queue
  [[nodiscard]] RequestIndex deliver(MessageIndex message);
  /// A receive has been posted. @return the message that it meets; none: it is in the posted-receive queue
  [[nodiscard]] MessageIndex post(RequestIndex request);
  /// The envelope of an unexpected message has arrived. @return the receive that it meets now; none: it stays
  [[nodiscard]] RequestIndex envelope_arrived(MessageIndex message);
  /// A receive of any source took a message of `source`: receives of that source that stood behind it may now take
  /// theirs. Ask until there is none.
  [[nodiscard]] std::optional<Pair> next_behind(std::int32_t rank, Context context, std::int32_t source);
  /// The place of a receive among all.
  [[nodiscard]] std::uint64_t next_order() { return posted_++; }

  // --- queues ---

  /// Appends to the posted-receive queue.
  void append_posted(RequestIndex request);
  /// Takes them out of their queue, if they are in one.
  void remove_posted(RequestIndex request);
  void remove_unexpected(MessageIndex message);
  /// The first unexpected message that something of a known source accepts.
  [[nodiscard]] MessageIndex first_unexpected(std::int32_t rank, const Queued& wanted) {
    return first_unexpected(at(rank), wanted);
  }
  /// Whether a posted receive of any source accepts the message.
  [[nodiscard]] bool any_source_accepts(const Message& message) {
    return first_wildcard(at(message.dest), message) != none;
  }
  /// Unexpected messages between two ranks.
  [[nodiscard]] Unreceived unreceived() const;
  /// The unexpected message of a rank between two ranks that differs least from what is wanted: in as few
  /// as can be of source, tag and communicator. none: there is no message
  [[nodiscard]] MessageIndex nearest(std::int32_t rank, const Queued& wanted) const;
  /// An unexpected message whose sender waits for `send`; none: a receive has it.
  [[nodiscard]] MessageIndex unexpected_of(RequestIndex send) const;

  // --- probes ---

  /// The first message, in the order of arrival, that has arrived and is accepted.
  [[nodiscard]] MessageIndex first_arrived(std::int32_t rank, const Queued& wanted);
  /// Someone waits for the envelope of this message: an event comes when it is there.
  void announce(MessageIndex message);
  /// Announces all messages that are on their way and accepted.
  void announce_all(std::int32_t rank, const Queued& wanted);
  /// Announces all messages of a context.
  void announce_context(std::int32_t rank, Context context);
  /// A matched probe takes the message out of the queue (MPI_Mprobe).
  void take(std::int32_t rank, MessageIndex message);
  /// The message that such a probe took. @return none if there is no such message
  [[nodiscard]] MessageIndex untake(std::int32_t rank, std::int32_t source, std::uint32_t sequence);

  static constexpr std::size_t bytes_per_rank() { return sizeof(RankQueues); }

 private:
  struct RankQueues {
    MatchingQueue<Request> posted;
    MatchingQueue<Message> unexpected;
    std::uint32_t wildcards = 0;                             ///< receives of any source that are posted
    MessageIndex first_visible = none, last_visible = none;  ///< unexpected point-to-point messages
    std::vector<MessageIndex> taken;                         ///< messages that a matched probe took
  };

  [[nodiscard]] RankQueues& at(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const RankQueues& at(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] RequestIndex first_posted(RankQueues& rank, const Message& message);
  [[nodiscard]] RequestIndex first_wildcard(RankQueues& rank, const Message& message);
  [[nodiscard]] MessageIndex first_unexpected(RankQueues& rank, const Queued& wanted);
  [[nodiscard]] MessageIndex post_wildcard(RankQueues& rank, RequestIndex request);
  [[nodiscard]] bool is_earlier(RequestIndex wildcard, RequestIndex named) const;
  void enqueue(RankQueues& rank, MessageIndex message);
  void link_visible(RankQueues& rank, MessageIndex message);
  void unlink_visible(RankQueues& rank, MessageIndex message);

  Clock& clock_;
  Pool<Message>& messages_;
  Pool<Request>& requests_;
  std::vector<RankQueues> ranks_;
  std::uint64_t posted_ = 0;  ///< receives so far: their order
};

}  // namespace orrery::kernel
