// SPDX-License-Identifier: BSD-3-Clause
#include "platform/reach.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "platform/fabric/require.hpp"

namespace orrery::platform {
namespace {

void check_frontal(const std::string& where, const FrontalSpec& frontal) {
  require_positive(where, "frontal relay", frontal.relay.bytes_per_s);
  require_positive(where, "frontal bandwidth", frontal.bandwidth.bytes_per_s);
  require_not_negative(where, "frontal latency", frontal.latency.s);
  require_not_negative(where, "frontal handling", frontal.handling.s);
  require_not_negative(where, "frontal buffer_bytes", static_cast<double>(frontal.buffer_bytes));
}

bool accepts(Connectivity connectivity) {
  return connectivity == Connectivity::Open || connectivity == Connectivity::Ports;
}

void check_cluster(const ClusterSpec& cluster, bool brokered) {
  const std::string where = concat("cluster \"", cluster.name, "\"");
  if (cluster.frontal) check_frontal(where, *cluster.frontal);
  if (cluster.traversable && accepts(cluster.connectivity))
    throw InputError(concat(where, ": accepts connections, so that they need not traverse anything"));
  if (!brokered && (cluster.connectivity != Connectivity::Open || cluster.frontal))
    throw InputError(concat(where, ": has a connectivity or a frontal, but no broker makes connections; add one"));
}

void check_broker(const BrokerSpec& broker, std::size_t clusters) {
  if (clusters < 2) throw InputError("the broker connects clusters, but there is only one");
  if (broker.cluster >= clusters)
    throw InputError(concat("the broker is in cluster ", broker.cluster, ", but there are ", clusters, ", from 0"));
  require_not_negative("broker", "latency", broker.latency.s);
  require_not_negative("broker", "answer", broker.answer.s);
}

double rate(const ClusterSpec& cluster) {
  return cluster.frontal ? std::min(cluster.frontal->relay, cluster.frontal->bandwidth).bytes_per_s : 0;
}

}  // namespace

Reach::Reach(const std::vector<ClusterSpec>& clusters, const std::optional<BrokerSpec>& broker) {
  for (const ClusterSpec& cluster : clusters) check_cluster(cluster, broker.has_value());
  if (!broker) return;
  check_broker(*broker, clusters.size());
  for (const ClusterSpec& cluster : clusters)
    policies_.push_back({.accepts = accepts(cluster.connectivity), .traversable = cluster.traversable});
  relays_.resize(clusters.size() * clusters.size());
  for (std::uint32_t from = 0; from < clusters.size(); ++from)
    for (std::uint32_t to = from + 1; to < clusters.size(); ++to) {
      if (!needs_relay(from, to)) continue;
      const ClusterSpec &first = clusters[from], &second = clusters[to];
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
