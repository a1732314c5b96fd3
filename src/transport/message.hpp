// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "platform/platform.hpp"
#include "sharing/flow_engine.hpp"
#include "transport/handshake.hpp"

/// Messages between nodes, as the parts of a connection see them.
namespace orrery::transport {

using sharing::TransferId;

inline constexpr TransferId no_message = UINT32_MAX;

/// Where a message is. The stages of a timer say what happens at its time; in the others it waits.
enum class Stage : std::uint8_t {
  Inside,       ///< inside a node: the message ends with its flow
  SendsRts,     ///< timer: the RTS is written to the connection
  Rts,          ///< the RTS waits in the connection
  Written,      ///< timer: the data (eager) or the CTS is written to its connection
  Cts,          ///< the CTS waits in the connection from receiver to sender
  ClearToSend,  ///< timer: the CTS reaches the sender
  Queued,       ///< the data waits in the connection
  Egress,       ///< a small message waits in the egress queue
  LastFrame,    ///< the last frame of a small message waits in the egress queue, after the rest has left
  Flowing,      ///< the data is sent
  AddedAcks,    ///< the bytes are sent that acknowledgements of other messages add
  Received,     ///< timer: the receiver has the last byte and writes the ACK
  Ack,          ///< the ACK waits in the connection from receiver to sender
  Acked,        ///< timer: the ACK reaches the sender, which completes and writes the FIN
  Fin,          ///< the FIN waits in the connection
  Arrives,      ///< timer: the receiver completes
};

/// Whether a control message waits in a connection.
[[nodiscard]] inline bool is_control(Stage stage) {
  return stage == Stage::Rts || stage == Stage::Cts || stage == Stage::Ack || stage == Stage::Fin;
}

/// A message as it is given to its connection.
struct Message {
  platform::HostId from = 0, to = 0;
  double bytes = 0;             ///< on the wire
  double last_frame_bytes = 0;  ///< of these, bytes in a last frame that is not full; 0: the last frame is full
  Bandwidth bound;              ///< of the rate
  Handshake latency;            ///< of each control message and of the data; of an eager message only `data` is used
  bool rendezvous = false;      ///< Detached or Synchronous
  bool sends_rts = false;       ///< the sender has not written its RTS yet; if false, the CTS is next
  SimTime receive_posted;       ///< no CTS is written before
  bool acknowledged = false;    ///< the receiver sends an ACK for the last byte, and the sender then a FIN
};

/// A message on its way.
struct MessageState : Message {
  Stage stage = Stage::Written;
  TransferId next = no_message;            ///< its successor in the connection where it waits
  TransferId next_in_egress = no_message;  ///< its successor in the egress queue
  std::uint64_t written = 0;               ///< its number among all messages that were written to the links of nodes
  SimTime passes{};                        ///< end of its wait in the queues: it has not been sent before
  bool has_waited = false;                 ///< it was not the first in the egress queue
  bool meets_acks = false;                 ///< acknowledgements of other messages were on its way when it started
  double acks_bytes = 0;                   ///< bytes that these add to it
};

/// All messages, and which of them are on the links of which node.
class Traffic {
 public:
  explicit Traffic(std::size_t hosts) : leaving_(hosts), coming_(hosts) {}

  [[nodiscard]] MessageState& operator[](TransferId id) { return messages_[id]; }
  [[nodiscard]] const MessageState& operator[](TransferId id) const { return messages_[id]; }
  /// The place of a message that starts.
  [[nodiscard]] MessageState& add(TransferId id) {
    if (id >= messages_.size()) messages_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * messages_.size()));
    return messages_[id];
  }

  /// The data of a message begins to leave its node, and has been sent.
  void begin(TransferId id) {
    leaving_[messages_[id].from].push_back(id);
    coming_[messages_[id].to].push_back(id);
  }
  void end(TransferId id) {
    std::erase(leaving_[messages_[id].from], id);
    std::erase(coming_[messages_[id].to], id);
  }
  /// Messages whose data a node sends, and receives.
  [[nodiscard]] const std::vector<TransferId>& leaving(platform::HostId host) const { return leaving_[host]; }
  [[nodiscard]] const std::vector<TransferId>& coming(platform::HostId host) const { return coming_[host]; }

  /// Messages that were written to the links of nodes so far. `count_written` gives the number of the next one.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::uint64_t count_written() { return written_++; }

 private:
  std::vector<MessageState> messages_;                     ///< by transfer
  std::vector<std::vector<TransferId>> leaving_, coming_;  ///< by host
  std::uint64_t written_ = 0;
};

}  // namespace orrery::transport
