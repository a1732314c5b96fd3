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

/// Messages that pass the link of their node, and the links behind it, each at its own rate.
///
/// A switch has room: what finds the way behind it taken stands in a queue there, while the node's link is free for
/// others. A flow that holds all its links at one rate would leave that one idle instead. So a message is a flow on its
/// node's link and another on the rest, in pieces: a piece goes on when it has begun to leave, and may be out before
/// those ahead of it are there. Alone, both flows go on at one rate and end together.
///
/// What a link that was idle lets pass at once is the first piece. It comes to the next queue before anything that
/// comes later, so others stand still for as long as it takes.
///
/// Messages that share a link do not get equal parts: a window comes back when those of all others that stand in front
/// of its sender's and its receiver's link have gone, so a message between two crowded nodes gets less than one from a
/// node that has nothing else to send. Parts change with who stands there, where that makes a difference. The first
/// bytes of messages that a node writes one after the other stand in that order in front of its link, as far as the
/// system lets them: each has `later_share` of the weight of the one before it, until what is before it would fill the
/// queue. What finds the queue full waits in its connection, as all others do that come after it.
class Passages {
 public:
  /// Messages that something became of at one moment.
  struct Moved {
    std::vector<TransferId> stopped;  ///< until they are resumed
    std::vector<TransferId> left;     ///< their last byte has left their node
    std::vector<TransferId> there;    ///< their last byte is
  };

  /// @param queue_bytes of a message, that stand in front of a link; 0: a message is one flow over all its links
  Passages(const platform::Platform& platform, sharing::FlowEngine& flows, double queue_bytes, double later_share);

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Terms {
    bool may_stall = false;       ///< as in sharing::FlowEngine
    bool continues = false;       ///< more of a message that has had its place among those of its node
    double stops_after = kNever;  ///< bytes that have left its node, until it is resumed
  };
  void start(TransferId id, SimTime now, double bytes, std::span<const platform::LinkId> links, Bandwidth bound,
             Terms terms);
  /// A message that has stopped goes on.
  void resume(TransferId id, SimTime now);
  /// That are not there yet.
  [[nodiscard]] double remaining_bytes(TransferId id, SimTime now) const;

  /// That have not left their node.
  [[nodiscard]] double leaving_bytes(TransferId id, SimTime now) const;
  /// That have left their node and are not there yet.
  [[nodiscard]] double between_bytes(TransferId id, SimTime now) const;

  [[nodiscard]] std::optional<SimTime> next_event();
  void advance(SimTime now, Moved& moved);

 private:
  static constexpr double window = 4;               ///< full pieces that have left and are not there
  static constexpr std::uint32_t most_pieces = 64;  ///< at their full length
  /// A piece that goes on may be ahead of its own bytes, which still leave. So the first full one goes in parts.
  static constexpr std::uint32_t parts = 8;
  static constexpr double most_ahead = 8;  ///< messages that still count
  static constexpr double at_once = 64;    ///< weight of what is before others
  /// Messages at a link that all get other parts at once when one comes or goes. Among more it makes little difference,
  /// and theirs are counted anew with their next pieces.
  static constexpr std::size_t few = 8;

  struct Way {
    std::uint32_t begun = 0, done = 0;  ///< pieces
    [[nodiscard]] bool idle() const { return begun == done; }
  };
  struct Passage {
    double bytes = 0, piece = 0;
    double burst = 0;  ///< that its node's link let pass at once: its first piece
    std::uint32_t pieces = 1;
    Bandwidth bound;
    Terms terms;
    bool divided = false;  ///< into a flow out and a flow on
    bool stopped = false;
    Way out, on;
    std::vector<platform::LinkId> links;
    std::uint32_t own_links = 0;  ///< of these, its node's
    std::uint64_t place = 0;      ///< among all that have been written to its node's link
  };

  /// Messages at a link.
  struct Line {
    std::vector<TransferId> messages;
    std::uint64_t written = 0;  ///< so far
    std::uint64_t out = 0;      ///< of these, have left
    bool changed = false;       ///< since they got their weights
  };

  static TransferId flow_out(TransferId id) { return 2 * id; }
  static TransferId flow_on(TransferId id) { return 2 * id + 1; }
  [[nodiscard]] double weight(const Passage& passage) const;
  [[nodiscard]] double share_of_place(const Passage& passage) const;
  [[nodiscard]] double weight_out(const Passage& passage) const;
  [[nodiscard]] double weight_on(const Passage& passage) const;
  void come(Line& line, TransferId id, SimTime now);
  void go(Line& line, TransferId id, SimTime now);
  void change(Line& line, SimTime now);
  void reweigh();
  void go_on(TransferId id, SimTime now);
  [[nodiscard]] static bool window_is_open(const Passage& passage);
  [[nodiscard]] double out_bytes(TransferId id, SimTime now) const;
  /// Bytes of a message before a piece.
  [[nodiscard]] static double begin_of(const Passage& passage, std::uint32_t piece);
  [[nodiscard]] double bytes_of(const Passage& passage, std::uint32_t piece) const;
  [[nodiscard]] std::uint32_t own_links(std::span<const platform::LinkId> links) const;

  sharing::FlowEngine& flows_;
  double queue_bytes_, later_share_;
  std::vector<bool> is_limiter_;        ///< of a node, by link
  std::vector<Line> leaving_, coming_;  ///< by link: that have not left its node, or are on their way to it
  std::vector<Line*> changed_;
  SimTime changed_at_;
  std::vector<Passage> passages_;  ///< by transfer
  std::vector<TransferId> ended_;
};

}  // namespace orrery::transport
