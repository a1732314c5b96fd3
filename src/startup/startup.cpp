// SPDX-License-Identifier: BSD-3-Clause
#include "startup/startup.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace orrery::startup {
namespace {

using platform::HostId;

/// mpiexec, which has number 0, or the proxy of a node.
struct Agent {
  HostId host = 0;
  std::vector<std::size_t> ranks = {};
  std::size_t first_child = 0, end_children = 0;  ///< numbers of its children, all larger than its own
  std::int64_t ranks_below = 0;                   ///< its own, and those of all agents below it
  SimTime begun = {};
};

std::vector<Agent> agents_of(const settings::Launch& launch, std::span<const HostId> host_of_rank) {
  std::vector<Agent> agents{{.host = host_of_rank.front()}};
  std::unordered_map<HostId, std::size_t> proxy_on;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    const auto [found, fresh] = proxy_on.try_emplace(host_of_rank[rank], agents.size());
    if (fresh) agents.push_back({.host = host_of_rank[rank]});
    agents[found->second].ranks.push_back(rank);
  }
  const std::size_t fanout = launch.fanout.value_or(static_cast<std::uint32_t>(agents.size()));
  for (std::size_t i = 0; i < agents.size(); ++i) {
    agents[i].first_child = std::min(i * fanout + 1, agents.size());
    agents[i].end_children = std::min((i + 1) * fanout + 1, agents.size());
  }
  for (std::size_t i = agents.size(); i-- > 0;) {
    Agent& agent = agents[i];
    agent.ranks_below = static_cast<std::int64_t>(agent.ranks.size());
    for (std::size_t child = agent.first_child; child < agent.end_children; ++child)
      agent.ranks_below += agents[child].ranks_below;
  }
  return agents;
}

/// When the children of an agent begin; gives when it has started them all.
SimTime start_children(const settings::Launch& launch, std::vector<Agent>& agents, const Agent& agent) {
  SimTime free = agent.begun;
  for (std::size_t i = agent.first_child; i < agent.end_children; ++i) {
    Agent& child = agents[i];
    if (launch.launcher == settings::Launcher::Manager) {
      child.begun = SimTime{launch.connection_s};
    } else if (child.host == agent.host) {
      child.begun = free += Duration{launch.fork_s};
    } else {
      free += Duration{launch.connection_work_s};
      child.begun = free + Duration{launch.connection_s};
    }
  }
  return free;
}

void start_ranks(const settings::Launch& launch, std::vector<Agent>& agents, std::vector<Beginning>& ranks) {
  for (const Agent& agent : agents) {
    SimTime free = start_children(launch, agents, agent);
    for (const std::size_t rank : agent.ranks) {
      free += Duration{launch.fork_s};
      ranks[rank].enters = free + Duration{launch.load_s};
      ranks[rank].leaves = ranks[rank].enters + Duration{launch.init_s};
    }
  }
}

/// When mpiexec has the addresses of all ranks, which publish theirs at `leaves`.
SimTime gather(const settings::Launch& launch, const std::vector<Agent>& agents, const std::vector<Beginning>& ranks,
               const Posts& posts) {
  std::vector<SimTime> complete(agents.size());
  std::vector<std::pair<SimTime, Duration>> arrivals;  ///< of the messages of an agent's children, with their handling
  for (std::size_t i = agents.size(); i-- > 0;) {
    const Agent& agent = agents[i];
    for (const std::size_t rank : agent.ranks) complete[i] = std::max(complete[i], ranks[rank].leaves);
    arrivals.clear();
    for (std::size_t child = agent.first_child; child < agent.end_children; ++child) {
      const Bytes bytes{agents[child].ranks_below * launch.address_bytes};
      const Post post = posts(agents[child].host, agent.host, bytes);
      arrivals.emplace_back(complete[child] + post.send + post.way, post.receive);
    }
    std::ranges::stable_sort(arrivals, {}, &std::pair<SimTime, Duration>::first);
    SimTime free;
    for (const auto& [arrival, handling] : arrivals) free = std::max(free, arrival) + handling;
    complete[i] = std::max(complete[i], free);
  }
  return complete.front();
}

/// All addresses go down the tree from mpiexec, which has them at `from`; a proxy passes them on before its ranks go
/// on.
void scatter(const settings::Launch& launch, const std::vector<Agent>& agents, std::vector<Beginning>& ranks,
             const Posts& posts, SimTime from) {
  const Bytes bytes{static_cast<std::int64_t>(ranks.size()) * launch.address_bytes};
  std::vector<SimTime> free(agents.size(), from);
  for (std::size_t i = 0; i < agents.size(); ++i) {
    for (std::size_t child = agents[i].first_child; child < agents[i].end_children; ++child) {
      const Post post = posts(agents[i].host, agents[child].host, bytes);
      free[i] += post.send;
      free[child] = free[i] + post.way + post.receive;
    }
    for (const std::size_t rank : agents[i].ranks) ranks[rank].leaves = free[i];
  }
}

}  // namespace

Posts posts_of(const platform::Platform& platform, network::NetworkModel& model) {
  return [&platform, &model, route = platform::Route{}](HostId from, HostId to, Bytes bytes) mutable {
    const network::Cost cost = model.cost(from, to, bytes);
    platform.route(from, to, route);
    return Post{cost.send_overhead, cost.latency + bytes / route.bandwidth, cost.recv_overhead};
  };
}

std::vector<Beginning> beginnings(const settings::Launch& launch, std::span<const HostId> host_of_rank,
                                  const Posts& posts) {
  check(launch, "launch");
  std::vector<Agent> agents = agents_of(launch, host_of_rank);
  std::vector<Beginning> ranks(host_of_rank.size());
  start_ranks(launch, agents, ranks);
  for (std::uint32_t exchange = 0; exchange < launch.exchanges; ++exchange)
    scatter(launch, agents, ranks, posts, gather(launch, agents, ranks, posts));
  const double peers = static_cast<double>(ranks.size() - 1);
  for (Beginning& rank : ranks) rank.leaves += Duration{launch.init_s_per_peer * peers};
  return ranks;
}

}  // namespace orrery::startup
