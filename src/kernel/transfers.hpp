// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/message_handling.hpp"

namespace orrery::kernel {

/// Hands the data of messages to the transport.
class Transfers {
 public:
  Transfers(Clock& clock, const Hosts& hosts, Messages& messages, MessageHandling& handling,
            transport::Transport& transport)
      : clock_(clock), hosts_(hosts), messages_(messages), handling_(handling), transport_(transport) {}

  /// The data of a message leave now. @param receive_posted when its receive was, or when the CTS was written
  void start(std::uint32_t message, SimTime receive_posted);

 private:
  Clock& clock_;
  const Hosts& hosts_;
  Messages& messages_;
  MessageHandling& handling_;
  transport::Transport& transport_;
};

}  // namespace orrery::kernel
