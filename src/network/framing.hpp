// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"

namespace orrery::network {

/// What a message is on the wire: the MPI's own header and the data, cut into frames of which each adds its own.
///
/// TCP over Ethernet with an MTU of 1,500 bytes and time stamps carries 1,448 bytes in a frame that takes 1,538: 52 of
/// TCP and IP, 14 of Ethernet, 24 of preamble, checksum and gap. No framing (`payload_bytes` 0): the data alone.
struct Framing {
  double header_bytes = 0;    ///< of the MPI, with each message
  double payload_bytes = 0;   ///< that a frame carries; 0: no frames
  double overhead_bytes = 0;  ///< that a frame adds
  /// A frame enters the next link once its last bit has left the one before.
  bool store_and_forward = false;

  [[nodiscard]] double on_wire(Bytes bytes) const {
    return payload_bytes > 0 ? carried(bytes) + frames(bytes) * overhead_bytes : carried(bytes);
  }
  /// That a message is cut into, 1 at least.
  [[nodiscard]] double frames(Bytes bytes) const {
    return payload_bytes > 0 ? std::max(1.0, std::ceil(carried(bytes) / payload_bytes)) : 1;
  }

  /// The part of `on_wire` in a last frame that is not full; 0 where it is, or is the only one.
  [[nodiscard]] double last_frame(Bytes bytes) const {
    const double full = frames(bytes) - 1, rest = carried(bytes) - full * payload_bytes;
    return full > 0 && rest < payload_bytes ? rest + overhead_bytes : 0;
  }

  /// The largest piece that a link has to itself, of a message that is so long on the wire.
  [[nodiscard]] double frame(double wire_bytes) const {
    return payload_bytes <= 0 ? wire_bytes : std::min(wire_bytes, payload_bytes + overhead_bytes);
  }

 private:
  [[nodiscard]] double carried(Bytes bytes) const { return static_cast<double>(bytes.count) + header_bytes; }
};

}  // namespace orrery::network
