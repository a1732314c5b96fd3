// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/network.hpp"
#include "network/split_mix.hpp"
#include "platform/platform.hpp"

namespace orrery::network {

/// Which messages lose so much in a crowded switch that their sender learns of it by a time-out only.
///
/// A switch drops packets where more flows meet at one of its ports than its queue holds. Mostly the sender learns of
/// it from those that follow, and loses little; where all of a window or its end is gone, it waits for the
/// retransmission time-out, 0.2 s on Linux, which is far longer than most messages take. Here a message that begins
/// while `flows` others cross a port of its way does so with `probability`, once. Source:
/// papers/smpi-hybrid-network-model.txt, section 5.2: NPB CG on 128 processes, 24 stalls of 0.2 s.
class Timeouts {
 public:
  Timeouts(const platform::Platform& platform, const TimeoutParameters& parameters, std::uint64_t seed)
      : parameters_(parameters), draws_(~seed) {
    if (!any()) return;
    drops_.reserve(platform.link_count());
    for (platform::LinkId id = 0; id < platform.link_count(); ++id) drops_.push_back(is_port(platform.link(id)));
  }

  [[nodiscard]] bool any() const { return parameters_.wait_s > 0 && parameters_.probability > 0; }
  [[nodiscard]] Duration wait() const { return {parameters_.wait_s}; }

  /// Draws for a message that begins to cross `links`. `flows_on(link)`: how many others do.
  template <class FlowsOn>
  bool strike(std::span<const platform::LinkId> links, FlowsOn flows_on) {
    for (const platform::LinkId link : links)
      if (drops_[link] && flows_on(link) >= parameters_.flows) return draws_.uniform() < parameters_.probability;
    return false;
  }

 private:
  /// Of a switch: a node's own port waits until there is room.
  static bool is_port(const platform::Link& link) {
    using platform::LinkKind;
    return link.shared &&
           (link.kind == LinkKind::NodeDown || link.kind == LinkKind::CabinetUp || link.kind == LinkKind::CabinetDown ||
            link.kind == LinkKind::Backbone || link.kind == LinkKind::Fabric || link.kind == LinkKind::Wan);
  }

  TimeoutParameters parameters_;
  SplitMix draws_;
  std::vector<bool> drops_;  ///< by link
};

}  // namespace orrery::network
