// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/quantity.hpp"

namespace orrery::transport {

/// The latency of a rendezvous, divided among the messages of its handshake.
///
///     sender    RTS ─▶          data ─▶          FIN ─▶
///     receiver          CTS ─▶           ACK ─▶
///
/// A calibration measures the latency of a regime as a whole: RTS, CTS and data. The RTS and the CTS are small
/// messages; each takes the latency of an empty message and its handling by the receiver. The data gets the rest.
/// The receiver of a synchronous message sends an ACK when it has the last byte; the sender then completes and sends a
/// FIN. ACK and FIN together take the latency of the data, which is then counted once.
struct Handshake {
  Duration rts, cts, data;
  Duration fin;  ///< the ACK takes `data` − `fin`

  /// Latency of an RTS over that of a CTS. The RTS takes longer, as the sender sets the send up before the RTS leaves.
  /// A rank that writes a CTS and then an RTS of its own has its CTS read first; any factor above 1 has this effect.
  static constexpr double rts_over_cts = 1.1;
  /// Largest part of the latency of the rendezvous that the CTS takes. RTS and CTS then take 0.63 of it, the data 0.37.
  static constexpr double most_cts = 0.3;
  /// Largest part of the latency of the data that the FIN takes. The ACK takes the other half at least.
  static constexpr double most_fin = 0.5;

  /// @param latency of the whole rendezvous
  /// @param small latency of an empty message and its handling by the receiver (T3)
  /// @param idle_wake part of the latency of the data that the receiver's node adds (settings::Processors::idle_wake_s)
  static Handshake of(Duration latency, Duration small, Duration idle_wake) {
    const Duration cts = std::min(small, latency * most_cts);
    const Duration rts = cts * rts_over_cts;
    const Duration data = std::max(Duration{}, latency - rts - cts - idle_wake);
    return {.rts = rts, .cts = cts, .data = data, .fin = std::min(cts, data * most_fin)};
  }
};

}  // namespace orrery::transport
