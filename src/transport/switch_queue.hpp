// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "platform/platform.hpp"
#include "sharing/flow_engine.hpp"

namespace orrery::transport {

using sharing::TransferId;

/// Messages on their way through the queue of a switch, between the link of their node and the links behind it.
///
/// The problem. A flow has the same rate on all its links. So a message that waits for a busy link behind the switch
/// would keep the link of its node idle. A real switch stores the message in a queue, and the node's link is free for
/// others. Therefore a message is two flows: one over the link of its node, and one over the rest of its route. Both
/// are divided into pieces. The second flow of a piece may start when its first flow has started, so both run at the
/// same time; a piece may leave the node before earlier ones have arrived. Without other messages both flows have the
/// same rate and end together.
///
/// Bursts. The first piece is what the node's link lets pass at once after idleness (token bucket). It is in the queue
/// of the switch before anything that comes later, so later messages wait until it has passed.
///
/// Weights. Messages that share a link do not get equal rates. A TCP window is acknowledged only after the data that is
/// ahead of it in the queues of the sender's and of the receiver's link. So the weight of a message is 1 / (number of
/// messages that leave its node + number of messages on their way to its receiver − 1). Weights are computed again when
/// a message starts or ends, unless its link has more than reweighed_at_once messages.
///
/// Order of writing. The first bytes of messages that one node writes leave in the order in which they were written:
/// the weight of each message is `later_share` times that of its predecessor. This holds for as many messages as the
/// egress queue has room for. Those written later wait in their connections and all have the weight of the last.
class SwitchQueue {
 public:
  /// Messages that changed their state at one moment.
  struct Moved {
    std::vector<TransferId> stopped;    ///< they wait until `resume` is called
    std::vector<TransferId> left_node;  ///< their last byte has left their node
    std::vector<TransferId> arrived;    ///< their last byte has reached the receiver's node
  };

  /// @param queue_bytes of a message that the queue of a link holds; 0: a message is one flow over all its links
  /// @param later_share weight of a queued message relative to its predecessor, in (0, 1]; 1: the order has no effect
  SwitchQueue(const platform::Platform& platform, sharing::FlowEngine& flows, double queue_bytes, double later_share);

  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Options {
    bool may_stall = false;      ///< the gate of the FlowEngine is asked (retransmission time-outs)
    bool continues = false;      ///< the rest of a message that is already counted in the order of writing
    double stops_after = never;  ///< the message stops when so many bytes have left its node, until `resume`
  };
  /// @param bytes on the wire   @param bound of the rate
  void start(TransferId id, SimTime now, double bytes, std::span<const platform::LinkId> links, Bandwidth bound,
             Options options);
  /// Continues a message that has stopped.
  void resume(TransferId id, SimTime now);
  /// Bytes that have not arrived.
  [[nodiscard]] double remaining_bytes(TransferId id, SimTime now) const;
  /// Bytes that have not left their node.
  [[nodiscard]] double leaving_bytes(TransferId id, SimTime now) const;
  /// Bytes in the switch: they have left their node and have not arrived.
  [[nodiscard]] double between_bytes(TransferId id, SimTime now) const;

  [[nodiscard]] std::optional<SimTime> next_event();
  void advance(SimTime now, Moved& moved);

 private:
  /// Full pieces of a message that may be in the switch.
  static constexpr double window = 4;
  /// Full pieces that a long message has at most, so that its cost in flows is bounded.
  static constexpr std::uint32_t most_pieces = 64;
  /// Parts of the first full piece. A piece may start behind the switch while its bytes still leave the node, and may
  /// get ahead of them there; small parts keep the error small.
  static constexpr std::uint32_t parts_of_first = 8;
  /// Predecessors that lower the weight of a message; the factor of more of them makes no difference.
  static constexpr double most_predecessors = 8;
  /// Weight of a burst behind the switch. It is so far above that of others (at most 1) that these wait.
  static constexpr double burst_weight = 64;
  /// Messages on a link up to which all get new weights when one starts or ends. Among more, one message makes little
  /// difference, and each gets its new weight with its next piece.
  static constexpr std::size_t reweighed_at_once = 8;
  /// Where a node has a limiter, a route within its cluster has four links at least: uplink, two limiters, downlink.
  static constexpr std::size_t most_links_without_own_limiter = 3;

  /// Pieces of a message on one of its two flows.
  struct Pieces {
    std::uint32_t begun = 0, done = 0;
    [[nodiscard]] bool idle() const { return begun == done; }
  };
  struct Passing {
    double bytes = 0;
    double piece = 0;          ///< bytes of a full piece
    double burst = 0;          ///< bytes that the node's link let pass at once: the first piece
    std::uint32_t pieces = 1;  ///< number of them
    Bandwidth bound;
    Options options;
    bool divided = false;  ///< into two flows
    bool stopped = false;
    Pieces to_switch, from_switch;
    std::vector<platform::LinkId> links;
    std::uint32_t own_links = 0;  ///< the first so many of `links` belong to the sender's node
    std::uint64_t place = 0;      ///< position in the order in which messages were written to the node's link
  };

  /// Messages on the link of a node, in one direction.
  struct OnLink {
    std::vector<TransferId> messages;
    std::uint64_t written = 0;   ///< number of messages that were written to the link so far
    std::uint64_t has_left = 0;  ///< number of these that have left
    bool changed = false;        ///< messages started or ended since the weights were computed
  };

  static TransferId flow_to_switch(TransferId id) { return 2 * id; }
  static TransferId flow_from_switch(TransferId id) { return 2 * id + 1; }
  static TransferId message_of(TransferId flow) { return flow / 2; }
  [[nodiscard]] double weight(const Passing& message) const;
  [[nodiscard]] double share_of_place(const Passing& message) const;
  [[nodiscard]] double weight_to_switch(const Passing& message) const;
  [[nodiscard]] double weight_from_switch(const Passing& message) const;
  void enter(OnLink& link, TransferId id, SimTime now);
  void leave(OnLink& link, TransferId id, SimTime now);
  void mark_changed(OnLink& link, SimTime now);
  void reweigh();
  void start_pieces(TransferId id, SimTime now);
  void end_piece(TransferId flow, SimTime now, Moved& moved);
  void end_piece_to_switch(TransferId id, SimTime now, Moved& moved);
  [[nodiscard]] static bool window_is_open(const Passing& message);
  [[nodiscard]] double left_bytes(TransferId id, SimTime now) const;
  /// Bytes of a message before a piece.
  [[nodiscard]] static double begin_of(const Passing& message, std::uint32_t piece);
  [[nodiscard]] double bytes_of(const Passing& message, std::uint32_t piece) const;
  [[nodiscard]] std::uint32_t own_links(std::span<const platform::LinkId> links) const;

  sharing::FlowEngine& flows_;
  double queue_bytes_, later_share_;
  std::vector<bool> is_limiter_;  ///< by link: whether it is the limiter of a node
  std::vector<OnLink> leaving_;   ///< by link: messages that have not left their node
  std::vector<OnLink> coming_;    ///< by link: messages that have not arrived at their receiver's node
  std::vector<OnLink*> changed_;
  SimTime changed_at_;
  std::vector<Passing> messages_;  ///< by transfer
  std::vector<TransferId> ended_;
};

}  // namespace orrery::transport
