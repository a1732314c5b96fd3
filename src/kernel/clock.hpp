// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/quantity.hpp"
#include "kernel/event_queue.hpp"

namespace orrery::kernel {

/// Simulated time, and the events that the kernel knows beforehand. All components share it.
struct Clock {
  SimTime now;
  EventQueue queue;
};

}  // namespace orrery::kernel
