// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/exponential.hpp"
#include "base/quantity.hpp"
#include "settings/node.hpp"

namespace orrery::node {

/// The rank that handles a message: its sender, or its receiver in one of two states.
enum class Side : std::uint8_t {
  Send,     ///< the sender
  Receive,  ///< a receiver that was awake when the message arrived
  Woken,    ///< a receiver that slept until the message arrived
};

/// Time of a rank to handle a message between nodes; the network model gives the overhead.
///
/// If each rank has a processor, this time is the overhead plus noise with mean 0. If ranks share processors, a message
/// also takes processor time (work). A receiver that is awake handles one message after the other and spends the work
/// only.
class Handling {
 public:
  struct Time {
    Duration work;   ///< time of a processor; counts where ranks share processors
    Duration alone;  ///< time of the rank if no other rank wants a processor
  };

  /// @param send, recv overheads of an empty message, T1 and T3; what the overhead of a longer message exceeds these by
  ///   is work of its call
  /// @param seed of the noise
  Handling(const settings::Node& settings, Duration send, Duration recv, std::uint64_t seed)
      : noise_s_(settings.handling_noise_s),
        shared_(settings.processors.has_value()),
        processors_(settings.processors.value_or(settings::Processors{})),
        empty_send_(send),
        empty_recv_(recv),
        draw_(seed) {}

  /// @param overhead T1 or T3 of the message, as `side` says. Draws noise.
  Time of(Side side, Duration overhead) {
    const Duration work = work_of(side) + beyond_empty(side, overhead);
    const bool awake = shared_ && side == Side::Receive;
    const Duration delay = {draw_(noise_s_) - noise_s_};
    const Duration spread = around(work, delay);
    return {spread, awake ? spread : std::max(Duration{}, overhead + delay)};
  }
  /// Whether `of` draws random numbers, so that its results depend on the order of its calls.
  [[nodiscard]] bool varies() const { return noise_s_ > 0; }
  /// Work of the operating system for all frames of a message but the first, which `of` includes. Any shared processor
  /// may do it.
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
  /// Overhead of a message beyond that of an empty one.
  [[nodiscard]] Duration beyond_empty(Side side, Duration overhead) const {
    return std::max(Duration{}, overhead - (side == Side::Send ? empty_send_ : empty_recv_));
  }
  /// A duration with this mean and the noise `delay`; the noise is scaled down if it is wider than the mean is long.
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
