// SPDX-License-Identifier: BSD-3-Clause
#include "python/levels.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace orrery::python {
namespace {

using mpi::channel::Level;
using platform::HostId;
using platform::Platform;
using settings::Cluster;

using PartOfHost = std::function<std::uint32_t(HostId)>;

Level by_host(const char* name, const std::vector<HostId>& host_of_rank, const PartOfHost& part,
              std::vector<std::string> part_names) {
  Level level{name, {}, std::move(part_names)};
  for (const HostId host : host_of_rank) level.part_of_rank.push_back(part(host));
  return level;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& parts, std::string T::*name) {
  std::vector<std::string> names;
  for (const T& part : parts) names.push_back(part.*name);
  return names;
}

/// Leaves of fat-trees and groups of dragonflies are numbered in their cluster, as cabinets without names are.
std::vector<std::string> names_of_cabinets(const Platform& platform) {
  std::vector<std::string> names;
  std::uint32_t cluster = 0, first = 0;
  for (HostId host = 0; host < platform.hosts().size(); ++host) {
    if (platform.cluster_of(host) != cluster) first = static_cast<std::uint32_t>(names.size());
    cluster = platform.cluster_of(host);
    if (platform.cabinet_of(host) < names.size()) continue;
    const Cluster& spec = platform.clusters()[cluster];
    const auto number = static_cast<std::uint32_t>(names.size()) - first;
    names.push_back(number < spec.cabinets.size() ? spec.cabinets[number].name
                                                  : concat(spec.name, "-cabinet-", number + 1));
  }
  return names;
}

/// The first cluster of the same site stands for it.
std::vector<std::uint32_t> sites_of(const std::vector<Cluster>& clusters) {
  std::vector<std::uint32_t> sites;
  for (const Cluster& cluster : clusters) {
    const auto first = std::ranges::find(clusters, cluster.site, &Cluster::site);
    sites.push_back(static_cast<std::uint32_t>(first - clusters.begin()));
  }
  return sites;
}

bool has_sockets(const Platform& platform) {
  return std::ranges::any_of(platform.clusters(), [](const Cluster& cluster) { return cluster.sockets > 1; });
}

bool past_the_end(const Platform& platform, const std::vector<HostId>& places) {
  return std::ranges::any_of(places, [&](HostId place) { return place >= platform.place_count(); });
}

/// The first rank of a node on its first core, the next one on the next.
std::vector<HostId> core_by_core(const Platform& platform, const std::vector<HostId>& host_of_rank) {
  std::vector<std::uint32_t> ranks_on(platform.hosts().size(), 0);
  std::vector<HostId> places;
  for (const HostId host : host_of_rank) {
    const platform::Host& spec = platform.hosts()[host];
    const std::uint32_t core = ranks_on[host]++ % spec.cores;
    places.push_back(platform.place(host, core * spec.sockets / spec.cores));
  }
  return places;
}

/// Sockets are numbered through all hosts.
Level sockets_of(const Platform& platform, const std::vector<HostId>& places) {
  std::vector<std::uint32_t> first_socket{0};
  for (const platform::Host& host : platform.hosts()) first_socket.push_back(first_socket.back() + host.sockets);
  Level level{"socket", {}, {}};
  for (const platform::Host& host : platform.hosts()) {
    for (std::uint32_t socket = 0; socket < host.sockets; ++socket)
      level.part_names.push_back(concat(host.name, "-socket-", socket));
  }
  for (const HostId place : places)
    level.part_of_rank.push_back(first_socket[platform.host_of(place)] + platform.socket_of(place));
  return level;
}

}  // namespace

Located locate(const Platform& platform, const std::vector<HostId>& place_of_rank) {
  if (past_the_end(platform, place_of_rank)) return {place_of_rank, {}};  // the kernel says what is wrong with it
  Located ranks;
  for (const HostId place : place_of_rank) ranks.hosts.push_back(platform.host_of(place));
  if (!has_sockets(platform)) return ranks;
  ranks.places = ranks.hosts == place_of_rank ? core_by_core(platform, place_of_rank) : place_of_rank;
  return ranks;
}

std::vector<Level> levels_of(const Platform& platform, const Located& ranks) {
  const auto& clusters = platform.clusters();
  const std::vector<HostId>& host_of_rank = ranks.hosts;
  if (past_the_end(platform, host_of_rank)) return {};
  std::vector<Level> levels;
  if (!clusters.front().site.empty()) {
    const auto sites = sites_of(clusters);
    levels.push_back(by_host(
        "site", host_of_rank, [&](HostId host) { return sites[platform.cluster_of(host)]; },
        names_of(clusters, &Cluster::site)));
  }
  levels.push_back(by_host(
      "cluster", host_of_rank, [&](HostId host) { return platform.cluster_of(host); },
      names_of(clusters, &Cluster::name)));
  if (platform.cabinet_count() > clusters.size()) {
    levels.push_back(by_host(
        "cabinet", host_of_rank, [&](HostId host) { return platform.cabinet_of(host); }, names_of_cabinets(platform)));
  }
  levels.push_back(by_host("node", host_of_rank, std::identity{}, names_of(platform.hosts(), &platform::Host::name)));
  if (!ranks.places.empty()) levels.push_back(sockets_of(platform, ranks.places));
  return levels;
}

std::vector<collective::Places::Level> places_of_levels(std::vector<Level> levels) {
  std::vector<collective::Places::Level> places;
  for (Level& level : levels) places.push_back({std::move(level.name), std::move(level.part_of_rank)});
  return places;
}

}  // namespace orrery::python
