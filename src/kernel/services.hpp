// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/cursors.hpp"

namespace orrery::kernel {

/// Requests that are no communication; they are served in the order of simulated time.
class RequestedServices {
 public:
  RequestedServices(const Config& config, Cursors& cursors) : config_(config), cursors_(cursors) {}

  void begin(Cursor& cursor);

 private:
  const Config& config_;
  Cursors& cursors_;
};

}  // namespace orrery::kernel
