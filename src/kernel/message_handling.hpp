// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/hosts.hpp"
#include "kernel/message.hpp"
#include "kernel/turns.hpp"
#include "kernel/virtual_processors.hpp"
#include "node/handling.hpp"

namespace orrery::kernel {

/// How long a rank is busy with a message that it sends or receives: the overhead of the network model, and what its
/// node makes of it.
class MessageHandling {
 public:
  MessageHandling(const Config& config, const Hosts& hosts, const Clock& clock, Turns& turns,
                  const VirtualProcessors& processors, transport::Transport& transport);

  /// When the rank has handled a message from or to `peer`, which it may do from its clock on. On a shared processor
  /// its work begins with its turn, and is all that it spends when others wait for theirs. On a virtual processor it
  /// waits until that has a core.
  [[nodiscard]] SimTime end(node::Side side, const Cursor& cursor, std::int32_t peer, Duration overhead);
  /// The transfer of a message begins.
  void begin_frames(Message& message) { message.idle_before = turns_.interrupts().idle(); }
  /// Its last frame is there: the node of its receiver has handled all of them, or has to.
  void end_frames(const Message& message);

 private:
  const Hosts& hosts_;
  const Clock& clock_;
  Turns& turns_;
  const VirtualProcessors& processors_;
  const transport::Transport& transport_;
  node::Handling handling_;
};

}  // namespace orrery::kernel
