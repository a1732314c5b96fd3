// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/kernel.hpp"
#include "python/bind.hpp"
#include "sharing/link_load.hpp"

/// What a simulation has found, as Python sees it; the same for live runs and for replays.
namespace orrery::python {

/// What links carry in a run, if it is wanted.
class LinkRecording {
 public:
  /// Before the run. False: its network model has no links.
  bool begin(const platform::Platform& platform, transport::Transport& transport) {
    if (load_) return true;
    load_.emplace(platform.link_count());
    if (!transport.record(*load_)) load_.reset();
    return load_.has_value();
  }
  /// After the run.
  [[nodiscard]] std::optional<sharing::LinkLoad> until(SimTime end) const {
    std::optional<sharing::LinkLoad> whole = load_;
    if (whole) whole->close(end.s);
    return whole;
  }

 private:
  std::optional<sharing::LinkLoad> load_;
};

/// A run, live or replayed, and what it refers to.
class Simulated {
 public:
  platform::Platform platform;
  LinkRecording links;  ///< before what it is recorded from
  std::unique_ptr<transport::Transport> transport;

  virtual ~Simulated() = default;
  Simulated(const Simulated&) = delete;
  Simulated& operator=(const Simulated&) = delete;

  [[nodiscard]] virtual const kernel::Simulation& simulation() const = 0;
  /// Calls that only look at what a rank knows.
  [[nodiscard]] virtual std::vector<kernel::ProfileRow> local_calls() const = 0;
  /// From any thread: ends the run.
  virtual void stop() = 0;

 protected:
  Simulated(platform::Platform on, const Model& model)
      : platform(std::move(on)), transport(make_model(platform, model)) {}
};

}  // namespace orrery::python
