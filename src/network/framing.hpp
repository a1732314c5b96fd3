// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"
#include "settings/network.hpp"

namespace orrery::network {

/// What a message is on the wire: the MPI's own header and the data, cut into frames of which each adds its own.
///
/// TCP over Ethernet with an MTU of 1,500 bytes and time stamps carries 1,448 bytes in a frame that takes 1,538: 52 of
/// TCP and IP, 14 of Ethernet, 24 of preamble, checksum and gap. Without frames: header and data alone.
class Framing {
 public:
  explicit Framing(const settings::Framing& settings)
      : header_bytes_(static_cast<double>(settings.header_bytes)), store_and_forward_(settings.store_and_forward) {
    if (!settings.frames) return;
    payload_bytes_ = static_cast<double>(settings.frames->payload_bytes);
    overhead_bytes_ = static_cast<double>(settings.frames->overhead_bytes);
  }

  /// A frame enters the next link once its last bit has left the one before.
  [[nodiscard]] bool store_and_forward() const { return store_and_forward_; }

  [[nodiscard]] double on_wire(Bytes bytes) const {
    return has_frames() ? carried(bytes) + frames(bytes) * overhead_bytes_ : carried(bytes);
  }
  /// That a message is cut into, 1 at least.
  [[nodiscard]] double frames(Bytes bytes) const {
    return has_frames() ? std::max(1.0, std::ceil(carried(bytes) / payload_bytes_)) : 1;
  }

  /// The part of `on_wire` in a last frame that is not full; 0 where it is, or is the only one.
  [[nodiscard]] double last_frame(Bytes bytes) const {
    const double full = frames(bytes) - 1, rest = carried(bytes) - full * payload_bytes_;
    return full > 0 && rest < payload_bytes_ ? rest + overhead_bytes_ : 0;
  }

  /// A full frame on the wire; 0: there are no frames.
  [[nodiscard]] double full_frame() const { return has_frames() ? payload_bytes_ + overhead_bytes_ : 0; }
  /// The largest piece that a link has to itself, of a message that is so long on the wire.
  [[nodiscard]] double frame(double wire_bytes) const {
    return has_frames() ? std::min(wire_bytes, full_frame()) : wire_bytes;
  }

 private:
  [[nodiscard]] bool has_frames() const { return payload_bytes_ > 0; }
  [[nodiscard]] double carried(Bytes bytes) const { return static_cast<double>(bytes.count) + header_bytes_; }

  double header_bytes_;
  double payload_bytes_ = 0, overhead_bytes_ = 0;
  bool store_and_forward_;
};

}  // namespace orrery::network
