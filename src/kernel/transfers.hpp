// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/message_handling.hpp"

namespace orrery::kernel {

/// Hands the data of messages to the transport.
class Transfers {
 public:
  Transfers(Clock& clock, const Hosts& hosts, Messages& messages, MessageHandling& handling,
            const VirtualProcessors& processors, transport::Transport& transport)
      : clock_(clock),
        hosts_(hosts),
        messages_(messages),
        handling_(handling),
        processors_(processors),
        transport_(transport) {}

  /// The data of a message leave now. @param receive_posted when its receive was, or when the CTS was written
  void start(MessageIndex message, SimTime receive_posted);

 private:
  [[nodiscard]] Duration until_answered(const Message& message) const;

  Clock& clock_;
  const Hosts& hosts_;
  Messages& messages_;
  MessageHandling& handling_;
  const VirtualProcessors& processors_;
  transport::Transport& transport_;
};

}  // namespace orrery::kernel
