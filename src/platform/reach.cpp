// SPDX-License-Identifier: BSD-3-Clause
#include "platform/reach.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace orrery::platform {
namespace {

bool accepts(settings::Connectivity connectivity) {
  return connectivity == settings::Connectivity::Open || connectivity == settings::Connectivity::Ports;
}

double rate(const settings::Cluster& cluster) {
  return cluster.frontal ? std::min(cluster.frontal->relay_bytes_per_s, cluster.frontal->bandwidth_bytes_per_s) : 0;
}

}  // namespace

Reach::Reach(const std::vector<settings::Cluster>& clusters, const std::optional<settings::Broker>& broker) {
  if (!broker) return;
  settings::check(*broker, "broker");
  for (const settings::Cluster& cluster : clusters)
    policies_.push_back({.accepts = accepts(cluster.connectivity), .traversable = cluster.traversable});
  relays_.resize(clusters.size() * clusters.size());
  for (std::uint32_t from = 0; from < clusters.size(); ++from)
    for (std::uint32_t to = from + 1; to < clusters.size(); ++to) {
      if (!needs_relay(from, to)) continue;
      const settings::Cluster &first = clusters[from], &second = clusters[to];
      if (!first.frontal && !second.frontal)
        throw InputError(concat("clusters \"", first.name, "\" and \"", second.name,
                                "\": neither accepts connections, and there is nothing to relay them; give one of "
                                "them a frontal, or say of both that they are traversable"));
      relays_[from * clusters.size() + to] = relays_[to * clusters.size() + from] =
          rate(second) > rate(first) ? to : from;
    }
}

Technique Reach::technique(std::uint32_t from, std::uint32_t to) const {
  if (policies_.empty() || policies_[to].accepts) return Technique::Direct;
  if (policies_[from].accepts) return Technique::Reverse;
  return needs_relay(from, to) ? Technique::Relay : Technique::Traversing;
}

bool Reach::needs_relay(std::uint32_t from, std::uint32_t to) const {
  const Policy first = policies_[from], second = policies_[to];
  return !first.accepts && !second.accepts && !(first.traversable && second.traversable);
}

}  // namespace orrery::platform
