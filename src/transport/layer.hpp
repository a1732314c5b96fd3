// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace orrery::transport {

/// A transport on top of another one, to which it hands on whatever it does not change.
class Layer : public Transport {
 public:
  Cost cost(platform::HostId from, platform::HostId to, Bytes bytes) override { return below_->cost(from, to, bytes); }
  Duration connect(const Posted& message, SimTime now) override { return below_->connect(message, now); }
  std::optional<SimTime> start(const Transfer& transfer, SimTime now) override { return below_->start(transfer, now); }
  std::optional<SimTime> next_event() override { return below_->next_event(); }
  void advance(SimTime now, std::vector<TransferId>& ended) override { below_->advance(now, ended); }
  bool record(sharing::LinkLoad& load) override { return below_->record(load); }
  Duration rts_delay(platform::HostId from, platform::HostId to, SimTime now) override {
    return below_->rts_delay(from, to, now);
  }
  void take_released(std::vector<TransferId>& released) override { below_->take_released(released); }
  [[nodiscard]] double frames(Bytes bytes) const override { return below_->frames(bytes); }
  [[nodiscard]] Stalled stalled() const override { return below_->stalled(); }
  [[nodiscard]] Connected connected() const override { return below_->connected(); }

 protected:
  explicit Layer(std::unique_ptr<Transport> below) : below_(std::move(below)) {}
  [[nodiscard]] Transport& below() { return *below_; }

 private:
  std::unique_ptr<Transport> below_;
};

}  // namespace orrery::transport
