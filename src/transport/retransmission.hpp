// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/split_mix.hpp"
#include "platform/platform.hpp"
#include "settings/transport.hpp"
#include "sharing/flow_engine.hpp"
#include "transport/transport.hpp"

namespace orrery::transport {

/// Messages that wait for a retransmission time-out because a crowded switch dropped their packets.
///
/// A switch drops packets when more flows meet at one of its ports than the queue of the port holds. Usually later
/// packets show the receiver the gap, and the sender sends the lost packets again soon. But if a whole window or its
/// last packets are lost, the sender waits for the retransmission time-out, 0.2 s on Linux: far longer than most
/// messages take.
///
/// The model: a message that begins while at least `flows` others cross one port of its route waits `wait_s` with
/// `probability`, at most once. Source: Bédaride and others 2013, section 5.2: NPB CG on 128 processes has
/// 24 stalls of 0.2 s.
class Retransmission final : public sharing::Gate {
 public:
  /// @param flows must outlive this object, which registers itself as the gate of its flows
  Retransmission(const platform::Platform& platform, const settings::Timeouts& settings, std::uint64_t seed,
                 sharing::FlowEngine& flows)
      : settings_(settings), draws_(~seed), flows_(flows) {
    drops_.reserve(platform.link_count());
    for (platform::LinkId id = 0; id < platform.link_count(); ++id) drops_.push_back(is_port(platform.link(id)));
    flows_.ask(*this, platform.link_count());
  }

  [[nodiscard]] Duration holds(std::span<const platform::LinkId> links) override {
    if (!strikes(links)) return {};
    ++stalled_.messages;
    stalled_.time += Duration{settings_.wait_s};
    return {settings_.wait_s};
  }
  [[nodiscard]] Stalled stalled() const { return stalled_; }

 private:
  bool strikes(std::span<const platform::LinkId> links) {
    for (const platform::LinkId link : links)
      if (drops_[link] && flows_.flows_on(link) >= settings_.flows) return draws_.uniform() < settings_.probability;
    return false;
  }

  /// Whether a link is a port of a switch, which drops packets. A node does not drop its own: it waits for room.
  static bool is_port(const platform::Link& link) {
    using platform::LinkKind;
    return link.shared &&
           (link.kind == LinkKind::NodeDown || link.kind == LinkKind::CabinetUp || link.kind == LinkKind::CabinetDown ||
            link.kind == LinkKind::Backbone || link.kind == LinkKind::Fabric || link.kind == LinkKind::Wan ||
            link.kind == LinkKind::FrontalIn);
  }

  settings::Timeouts settings_;
  SplitMix draws_;
  sharing::FlowEngine& flows_;
  std::vector<bool> drops_;  ///< by link: whether it is a port that drops packets
  Stalled stalled_;
};

}  // namespace orrery::transport
