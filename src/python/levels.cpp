// SPDX-License-Identifier: BSD-3-Clause
#include "python/levels.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace orrery::python {
namespace {

using mpi::channel::Level;
using platform::ClusterSpec;
using platform::HostId;
using platform::Platform;

using PartOfHost = std::function<std::uint32_t(HostId)>;

Level by_host(const char* name, const std::vector<HostId>& host_of_rank, const PartOfHost& part) {
  Level level{name, {}};
  for (const HostId host : host_of_rank) level.part_of_rank.push_back(part(host));
  return level;
}

/// The first cluster of the same site stands for it.
std::vector<std::uint32_t> sites_of(const std::vector<ClusterSpec>& clusters) {
  std::vector<std::uint32_t> sites;
  for (const ClusterSpec& cluster : clusters) {
    const auto first = std::ranges::find(clusters, cluster.site, &ClusterSpec::site);
    sites.push_back(static_cast<std::uint32_t>(first - clusters.begin()));
  }
  return sites;
}

/// Sockets are numbered through all hosts.
Level sockets_of(const Platform& platform, const std::vector<HostId>& host_of_rank) {
  const std::size_t hosts = platform.hosts().size();
  const auto spec = [&](HostId host) -> const ClusterSpec& { return platform.clusters()[platform.cluster_of(host)]; };
  std::vector<std::uint32_t> first_socket(hosts + 1, 0), ranks_on(hosts, 0);
  for (HostId host = 0; host < hosts; ++host) first_socket[host + 1] = first_socket[host] + spec(host).sockets;
  Level level{"socket", {}};
  for (const HostId host : host_of_rank) {
    const std::uint32_t core = ranks_on[host]++ % spec(host).cores;
    level.part_of_rank.push_back(first_socket[host] + core / (spec(host).cores / spec(host).sockets));
  }
  return level;
}

}  // namespace

std::vector<Level> levels_of(const Platform& platform, const std::vector<HostId>& host_of_rank) {
  const auto& clusters = platform.clusters();
  const auto past_the_end = [&](HostId host) { return host >= platform.hosts().size(); };
  if (std::ranges::any_of(host_of_rank, past_the_end)) return {};  // the kernel says what is wrong with it
  std::vector<Level> levels;
  if (!clusters.front().site.empty()) {
    const auto sites = sites_of(clusters);
    levels.push_back(by_host("site", host_of_rank, [&](HostId host) { return sites[platform.cluster_of(host)]; }));
  }
  levels.push_back(by_host("cluster", host_of_rank, [&](HostId host) { return platform.cluster_of(host); }));
  if (platform.cabinet_count() > clusters.size()) {
    levels.push_back(by_host("cabinet", host_of_rank, [&](HostId host) { return platform.cabinet_of(host); }));
  }
  levels.push_back(by_host("node", host_of_rank, std::identity{}));
  if (std::ranges::any_of(clusters, [](const ClusterSpec& cluster) { return cluster.sockets > 1; })) {
    levels.push_back(sockets_of(platform, host_of_rank));
  }
  return levels;
}

std::vector<collective::Places::Level> places_of_levels(std::vector<Level> levels) {
  std::vector<collective::Places::Level> places;
  for (Level& level : levels) places.push_back({std::move(level.name), std::move(level.part_of_rank)});
  return places;
}

}  // namespace orrery::python
