// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/message_handling.hpp"

#include <algorithm>

namespace orrery::kernel {
namespace {

/// What a message of no bytes costs its two sides says what a longer one costs besides.
node::Handling handling_of(const Config& config, transport::Transport& transport) {
  const auto& hosts = config.host_of_rank;
  const auto other = std::find_if(hosts.begin(), hosts.end(), [&](auto host) { return host != hosts.front(); });
  if (other == hosts.end()) return {config.node, {}, {}, config.seed};  // no message goes to another node
  const network::Cost empty = transport.cost(hosts.front(), *other, {0});
  return {config.node, empty.send_overhead, empty.recv_overhead, config.seed};
}

}  // namespace

MessageHandling::MessageHandling(const Config& config, const Hosts& hosts, const Clock& clock, Turns& turns,
                                 const VirtualProcessors& processors, transport::Transport& transport)
    : hosts_(hosts),
      clock_(clock),
      turns_(turns),
      processors_(processors),
      transport_(transport),
      handling_(handling_of(config, transport)) {}

SimTime MessageHandling::end(node::Side side, const Cursor& cursor, std::int32_t peer, Duration overhead) {
  const SimTime from = std::max(clock_.now, cursor.clock);
  if (hosts_.same(cursor.rank, peer)) return from + processors_.lasts(cursor.rank, from, overhead);
  const auto [own_work, alone] = handling_.of(side, overhead);
  if (!turns_.shared()) return from + processors_.lasts(cursor.rank, from, alone);
  const Duration work = own_work + turns_.interrupts().pay();
  if (side == node::Side::Woken) return std::max(cursor.clock + alone, from + work);
  return from + (turns_.wanted() ? work : std::max(alone, work));
}

void MessageHandling::end_frames(const Message& message) {
  if (!turns_.shared() || hosts_.same(message.source, message.dest)) return;
  turns_.interrupts().take(handling_.of_frames(transport_.frames(message.bytes)), message.idle_before);
}

}  // namespace orrery::kernel
