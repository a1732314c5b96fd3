// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"
#include "settings/network.hpp"

namespace orrery::network {

/// Bytes of a message on the wire: the header of the MPI library and the data, cut into frames, each with its overhead.
///
/// TCP over Ethernet with an MTU of 1,500 bytes and time stamps carries 1,448 bytes in a frame that takes 1,538 bytes
/// on the wire: 52 bytes for TCP and IP, 14 for Ethernet, 24 for preamble, checksum and gap. If no frames are set, a
/// message takes the bytes of its header and data only.
class Framing {
 public:
  explicit Framing(const settings::Framing& settings)
      : header_bytes_(static_cast<double>(settings.header_bytes)), store_and_forward_(settings.store_and_forward) {
    if (!settings.frames) return;
    payload_bytes_ = static_cast<double>(settings.frames->payload_bytes);
    overhead_bytes_ = static_cast<double>(settings.frames->overhead_bytes);
  }

  /// Whether switches store and forward: a frame enters a link when its last bit has left the link before.
  [[nodiscard]] bool store_and_forward() const { return store_and_forward_; }

  /// Bytes on the wire of a message with so many bytes of data.
  [[nodiscard]] double on_wire(Bytes bytes) const {
    return has_frames() ? carried(bytes) + frames(bytes) * overhead_bytes_ : carried(bytes);
  }
  /// Number of frames of a message, 1 at least.
  [[nodiscard]] double frames(Bytes bytes) const {
    return has_frames() ? std::max(1.0, std::ceil(carried(bytes) / payload_bytes_)) : 1;
  }

  /// Bytes on the wire of a last frame that is not full; 0 if the last frame is full or the only one.
  [[nodiscard]] double last_frame(Bytes bytes) const {
    const double full = frames(bytes) - 1, rest = carried(bytes) - full * payload_bytes_;
    return full > 0 && rest < payload_bytes_ ? rest + overhead_bytes_ : 0;
  }

  /// Bytes on the wire of a full frame; 0: no frames are set.
  [[nodiscard]] double full_frame() const { return has_frames() ? payload_bytes_ + overhead_bytes_ : 0; }
  /// Bytes on the wire of the longest frame of a message with `wire_bytes`; without frames, the whole message.
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
