// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/virtual_processors.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace orrery::kernel {
namespace {

using platform::HostId;

constexpr std::uint64_t of_wakes = 0xd1342543de82ef95;  ///< so that ranks draw other delays than absences

/// A virtual processor: its node, and its number there.
using Virtual = std::pair<HostId, std::uint32_t>;

std::vector<Virtual> virtual_processors_of(const platform::Platform& platform, std::span<const HostId> host_of_rank) {
  std::vector<std::uint32_t> ranks_on(platform.hosts().size(), 0);
  std::vector<Virtual> found;
  for (const HostId node : host_of_rank) found.emplace_back(node, ranks_on[node]++ % platform.hosts()[node].cores);
  return found;
}

/// Those of a host, in order; which of them want a core.
struct OfHost {
  std::map<Virtual, std::uint32_t> numbers;
  std::uint32_t wanted = 0;
};

std::optional<node::Seat> seat_of(const platform::Platform& platform, const Virtual& machine,
                                  const std::map<std::uint32_t, OfHost>& by_host) {
  const auto& machines = platform.clusters()[platform.cluster_of(machine.first)].virtual_;
  if (!machines) return std::nullopt;
  const std::uint32_t host = platform.cabinet_of(machine.first);
  const std::uint32_t own_cores = machines->per_host * platform.hosts()[machine.first].cores;
  return node::Seat{.host = host,
                    .number = by_host.at(host).numbers.at(machine),
                    .wanted = by_host.at(host).wanted + machines->other_cores,
                    .cores = machines->host_cores.value_or(own_cores)};
}

}  // namespace

VirtualProcessors::VirtualProcessors(const Config& config) {
  if (!config.node.noise.empty()) {
    for (std::uint32_t rank = 0; rank < config.host_of_rank.size(); ++rank)
      noise_.emplace_back(config.node.noise, rank, config.seed);
    return;
  }
  if (!config.node.hypervisor || config.seats.empty()) return;
  if (config.seats.size() != config.host_of_rank.size())
    throw InputError(
        concat("there are ", config.seats.size(), " virtual processors for ", config.host_of_rank.size(), " ranks"));
  wake_delay_s_ = config.node.hypervisor->wake_delay_s;
  for (const auto& seat : config.seats) {
    Exponential delays(config.seed + of_wakes * (of_ranks_.size() + 1));
    const auto processor =
        seat ? node::VirtualProcessor(*config.node.hypervisor, *seat, config.seed) : node::VirtualProcessor();
    of_ranks_.push_back({processor, seat.has_value(), delays});
  }
}

std::vector<std::optional<node::Seat>> seats_on(const platform::Platform& platform,
                                                std::span<const HostId> host_of_rank, std::uint32_t initial_ranks) {
  const auto is_virtual = [](const settings::Cluster& cluster) { return cluster.virtual_.has_value(); };
  if (std::ranges::none_of(platform.clusters(), is_virtual)) return {};
  const std::vector<Virtual> own = virtual_processors_of(platform, host_of_rank);
  std::map<std::uint32_t, OfHost> by_host;
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    OfHost& host = by_host[platform.cabinet_of(own[rank].first)];
    host.numbers.emplace(own[rank], static_cast<std::uint32_t>(host.numbers.size()));
    if (initial_ranks == 0 || rank < initial_ranks) host.wanted = static_cast<std::uint32_t>(host.numbers.size());
  }
  std::vector<std::optional<node::Seat>> seats;
  for (const Virtual& machine : own) seats.push_back(seat_of(platform, machine, by_host));
  return seats;
}

}  // namespace orrery::kernel
