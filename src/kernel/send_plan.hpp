// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "op/op.hpp"
#include "transport/transport.hpp"

/// What is decided when a send is posted. Why a send waits, and where all else is decided: kernel/sending.hpp.
namespace orrery::kernel {

/// What becomes of a send. It is decided when the send is posted, and nothing changes it later.
struct SendPlan {
  /// What the sender, or its request, waits for.
  enum class Until : std::uint8_t {
    Handled,   ///< T1 is over (Asynchronous, Detached)
    DataSent,  ///< the transfer ends, or the model says that the last byte has left (Synchronous, Optimistic)
  };

  network::Protocol protocol = network::Protocol::Asynchronous;
  Until until = Until::Handled;
  bool request_lasts = false;  ///< a request of this send is complete with the transfer, not at once
  SimTime posted;              ///< the data leave then if the protocol starts at once, else the RTS does
  SimTime visible;             ///< when the receiver can see the envelope or the RTS
  Duration rts_delay;          ///< part of it: what the RTS waits behind other messages
  Duration send_overhead;      ///< T1
  Duration recv_overhead;      ///< T3

  /// Whether a blocking send lasts longer than T1.
  [[nodiscard]] bool sender_waits() const { return until != Until::Handled; }
  [[nodiscard]] bool data_leave_at_once() const { return network::starts_at_once(protocol); }
};

/// The protocol of a send whose size alone would give it `by_size`.
[[nodiscard]] network::Protocol protocol_of(const op::Operation& send, network::Protocol by_size);

/// From which node to which one a message goes.
struct Way {
  platform::HostId from = 0, to = 0;
};

/// Plans a send whose rank is ready for it at `posted`. Asks the transport, but changes nothing there.
[[nodiscard]] SendPlan plan_send(const op::Operation& send, Way way, SimTime posted, transport::Transport& transport);

}  // namespace orrery::kernel
