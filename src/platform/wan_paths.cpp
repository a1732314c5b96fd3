// SPDX-License-Identifier: BSD-3-Clause
#include "platform/wan_paths.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "platform/resolve.hpp"

namespace orrery::platform {
namespace {

/// A wide-area link between clusters by their positions.
struct WideAreaLink {
  std::uint32_t from, to;
  double latency_s;
};

/// Distance of a cluster from the source, and the last hop of the path to it.
struct Reached {
  std::uint32_t links = std::numeric_limits<std::uint32_t>::max();
  double latency_s = 0;
  std::uint32_t before = 0;
  std::optional<WanPaths::Hop> hop;
};

bool closer(const Reached& a, const Reached& b) {
  return a.links != b.links ? a.links < b.links : a.latency_s < b.latency_s;
}

/// Bellman-Ford algorithm: after round n all shortest paths of up to n links are known. There are few clusters.
std::vector<Reached> reach_from(std::uint32_t source, std::size_t clusters, const std::vector<WideAreaLink>& wan) {
  std::vector<Reached> reached(clusters);
  reached[source].links = 0;
  const auto try_hop = [&](std::uint32_t at, WanPaths::Hop hop) {
    if (reached[at].links == std::numeric_limits<std::uint32_t>::max()) return false;
    const Reached candidate{reached[at].links + 1, reached[at].latency_s + wan[hop.wan].latency_s, at, hop};
    if (!closer(candidate, reached[hop.arrives_at])) return false;
    reached[hop.arrives_at] = candidate;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < wan.size(); ++i) {
      changed |= try_hop(wan[i].from, {i, true, wan[i].to});
      changed |= try_hop(wan[i].to, {i, false, wan[i].from});
    }
  }
  return reached;
}

std::vector<WanPaths::Hop> walk_back(const std::vector<Reached>& reached, std::uint32_t to) {
  std::vector<WanPaths::Hop> path;
  for (std::uint32_t at = to; reached[at].hop; at = reached[at].before) path.push_back(*reached[at].hop);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

WanPaths::WanPaths(const std::vector<settings::Cluster>& clusters, const std::vector<settings::Wan>& wan)
    : clusters_(clusters.size()), paths_(clusters_ * clusters_) {
  std::vector<WideAreaLink> links;
  for (const settings::Wan& link : wan)
    links.push_back(
        {cluster_named(clusters, link.from_cluster), cluster_named(clusters, link.to_cluster), link.latency_s});
  for (std::uint32_t from = 0; from < clusters_; ++from) {
    const std::vector<Reached> reached = reach_from(from, clusters_, links);
    for (std::uint32_t to = 0; to < clusters_; ++to) {
      if (to != from && !reached[to].hop)
        throw InputError(concat("clusters \"", clusters[from].name, "\" and \"", clusters[to].name,
                                "\" are not joined by wide-area links, directly or through others; add one"));
      paths_[from * clusters_ + to] = walk_back(reached, to);
    }
  }
}

std::size_t WanPaths::longest() const {
  std::size_t longest = 0;
  for (const std::vector<Hop>& path : paths_) longest = std::max(longest, path.size());
  return longest;
}

}  // namespace orrery::platform
