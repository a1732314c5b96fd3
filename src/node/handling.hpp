// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/exponential.hpp"
#include "base/quantity.hpp"
#include "settings/node.hpp"

namespace orrery::node {

/// Who handles a message.
enum class Side : std::uint8_t {
  Send,
  Receive,  ///< a receiver that was awake
  Woken,    ///< one that slept until the message came
};

/// What it takes a rank to handle a message between nodes, whose overhead the network model gives.
///
/// Where each rank has a processor, that is the overhead, with noise about it. Where ranks share processors, a message
/// takes work of a processor; a receiver that is awake goes from one message to the next and spends its work only.
class Handling {
 public:
  struct Time {
    Duration work;   ///< of a processor, where ranks share them
    Duration alone;  ///< of the rank's time while nobody else wants a processor
  };

  /// @param send, recv overheads of a message of no bytes: what a longer one has besides, its call does for the bytes
  Handling(const settings::Node& settings, Duration send, Duration recv, std::uint64_t seed)
      : noise_s_(settings.handling_noise_s),
        shared_(settings.processors.has_value()),
        processors_(settings.processors.value_or(settings::Processors{})),
        empty_send_(send),
        empty_recv_(recv),
        draw_(seed) {}

  Time of(Side side, Duration overhead) {
    const Duration work = work_of(side) + beyond_empty(side, overhead);
    const bool awake = shared_ && side == Side::Receive;
    const Duration delay = {draw_(noise_s_) - noise_s_};
    const Duration spread = around(work, delay);
    return {spread, awake ? spread : std::max(Duration{}, overhead + delay)};
  }
  /// Whether `of` draws, so that the order of its calls matters.
  [[nodiscard]] bool varies() const { return noise_s_ > 0; }
  /// What frames of a message take of shared processors besides, whoever has them; the first one is part of `of`.
  [[nodiscard]] Duration of_frames(double frames) const { return {(frames - 1) * processors_.frame_work_s}; }

 private:
  [[nodiscard]] Duration work_of(Side side) const {
    switch (side) {
      case Side::Send: return {processors_.send_work_s};
      case Side::Receive: return {processors_.recv_work_s};
      case Side::Woken: break;
    }
    return {processors_.recv_work_s + processors_.wake_work_s};
  }
  [[nodiscard]] Duration beyond_empty(Side side, Duration overhead) const {
    return std::max(Duration{}, overhead - (side == Side::Send ? empty_send_ : empty_recv_));
  }
  /// What takes `mean` on average, when `delay` is drawn: spread as the overhead is, but no wider than it is long.
  [[nodiscard]] Duration around(Duration mean, Duration delay) const {
    return noise_s_ > 0 ? mean + delay * std::min(1.0, mean.s / noise_s_) : mean;
  }

  double noise_s_;
  bool shared_;
  settings::Processors processors_;
  Duration empty_send_, empty_recv_;
  Exponential draw_;
};

}  // namespace orrery::node
