// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/quantity.hpp"

namespace orrery::transport {

/// How the latency of a rendezvous is divided among the messages of its handshake.
///
///     sender   RTS ─▶            data ══════▶            FIN ─▶
///     receiver        CTS ─▶              ─▶ ACK (where sends end with the data)
///
/// A regime's latency is measured as a whole: RTS, CTS and data, one leg each. The RTS and the CTS are small messages
/// that their receivers handle; the data has what is left. Without a send buffer the receiver sends an ACK when it has
/// the last byte, and the sender completes and sends FIN: together they take the data's leg.
struct Handshake {
  Duration rts, cts, data;
  Duration fin;

  /// An RTS takes so much longer than a CTS, because the send is set up before it leaves. Who answers an RTS that has
  /// come and then sends its own has its CTS read first: any factor above 1 decides that.
  static constexpr double kRtsOverCts = 1.1;
  /// Of the latency of the rendezvous that a CTS may take, so that with the RTS 0.37 is left for the data.
  static constexpr double kMostCts = 0.3;
  /// Of the data's leg that a FIN may take: the ACK has the other half at least.
  static constexpr double kMostFin = 0.5;

  /// @param latency of the rendezvous   @param small one way of a message of no bytes, and its handling
  /// @param idle_wake part of the data's leg that its receiver's node adds itself
  static Handshake of(Duration latency, Duration small, Duration idle_wake) {
    const Duration cts = std::min(small, latency * kMostCts);
    const Duration rts = cts * kRtsOverCts;
    const Duration data = std::max(Duration{}, latency - rts - cts - idle_wake);
    return {.rts = rts, .cts = cts, .data = data, .fin = std::min(cts, data * kMostFin)};
  }
};

}  // namespace orrery::transport
