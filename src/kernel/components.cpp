// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/components.hpp"

#include <utility>

#include "base/error.hpp"

namespace orrery::kernel {
namespace {

Config checked(Config config) {
  if (config.host_of_rank.empty()) throw InputError("a simulation needs at least one rank");
  if (config.compute_factor.size() != config.host_of_rank.size()) {
    throw InputError(concat("a compute factor is needed for each of the ", config.host_of_rank.size(), " ranks, got ",
                            config.compute_factor.size()));
  }
  if (config.initial_ranks > config.host_of_rank.size()) throw InputError("there are more ranks than have hosts");
  if (!(config.poll_cost.s > 0)) throw InputError("the cost of a poll must be positive: polling would never end");
  settings::check(config.node, "node");
  return config;
}

settings::Processors shared_processors(const settings::Node& node) {
  return node.processors.value_or(settings::Processors{});
}

/// Cursors may be ahead of now where no clock depends on who has a processor, nor on who is in a call. Streams may be
/// read ahead where overheads are the same in any order, besides.
Cursors::Ahead ahead(const settings::Node& node, const op::Streams& streams) {
  const bool clocks = shared_processors(node).count == 0 && node.progress != settings::Progress::InCalls;
  const bool draws = node.handling_noise_s > 0 || (node.hypervisor && node.hypervisor->wake_delay_s > 0);
  return {.streams = streams.known_ahead() && clocks && !draws, .clocks = clocks};
}

}  // namespace

Components::Components(Config config_, transport::Transport& transport_, const collective::Selector& selector,
                       op::Streams& streams_, Groups& groups)
    : config(checked(std::move(config_))),
      transport(transport_),
      streams(streams_),
      hosts(config),
      profiles(config.host_of_rank.size()),
      threads(config.host_of_rank.size()),
      cursors(clock, profiles, threads, streams, config.observer, config.host_of_rank.size(),
              ahead(config.node, streams)),
      turns(clock, cursors, profiles, shared_processors(config.node)),
      virtual_processors(config),
      handling(config, hosts, clock, turns, virtual_processors, transport),
      requests(clock, hosts, cursors, frames, turns, virtual_processors, handling, cursors.ranks()),
      matching(clock, messages, requests.pool(), cursors.ranks()),
      transfers(clock, hosts, messages, handling, virtual_processors, transport),
      rendezvous(clock, hosts, cursors, threads, messages, transfers, {config.node.progress, cursors.ranks()}),
      polling(config, cursors, turns, virtual_processors, rendezvous),
      partitioned(clock, config, cursors, messages, requests, matching, transfers),
      probes(cursors, messages, matching, polling, cursors.ranks()),
      delivery(clock, messages, requests, matching, transfers, rendezvous, partitioned, probes),
      local(config, cursors, profiles, turns, virtual_processors),
      sending(clock, hosts, cursors, profiles, frames, messages, requests, handling, transfers, delivery, transport,
              cursors.ranks()),
      receiving(clock, cursors, threads, frames, messages, requests, matching, delivery),
      waits(clock, cursors, requests, matching, delivery, polling),
      collectives(config, cursors, frames, requests, selector, groups),
      one_sided(clock, hosts, cursors, profiles, messages, requests, transfers, transport, streams),
      locks(clock, hosts, cursors, messages, one_sided.pool(), transport, groups),
      files(config, clock, hosts, cursors, requests),
      services(config, cursors),
      communicators(groups, cursors, collectives, locks, files) {}

}  // namespace orrery::kernel
