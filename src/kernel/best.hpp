// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "kernel/one_call.hpp"

namespace orrery::kernel {

/// Takes for each call the algorithm that is the cheapest in simulation, by itself on the network, with the segment
/// size that suits it best.
///
/// Simulated when a call is first seen, and remembered: one answer for all calls of a kind, number of ranks and class
/// of sizes, up to a power of two. So the answer depends on the call alone, not on what came before. A communicator
/// that is not the world is taken to lie where the first ranks of the world are; its root is taken to be rank 0.
///
/// Kinds whose counts ranks do not share (v-forms), neighbourhood collectives and inter-communicators are left to
/// another selector, and algorithms that would send more than `most_messages` are not tried.
class Best final : public collective::Selector {
 public:
  using MakeTransport = std::function<std::unique_ptr<transport::Transport>()>;
  static constexpr std::uint64_t most_messages = 2'000'000;

  /// @param config of the world   @param otherwise for the rest, and for kinds that it has something fixed for
  Best(Config config, MakeTransport make_transport, std::shared_ptr<const collective::Selector> otherwise);

  [[nodiscard]] collective::Choice choose(const collective::Call& call) const override;
  [[nodiscard]] std::string_view name() const override { return "best"; }
  [[nodiscard]] bool needs_places() const override { return true; }
  [[nodiscard]] std::vector<collective::CollectiveKind> asked(collective::Decider by) const override {
    return otherwise_->asked(by);
  }

 private:
  using Key = std::tuple<collective::CollectiveKind, int, std::int64_t, std::int64_t, std::int64_t, bool>;

  [[nodiscard]] collective::Choice search(const collective::WholeCall& call) const;
  [[nodiscard]] Config places_for(int size) const;

  Config config_;
  MakeTransport make_transport_;
  std::shared_ptr<const collective::Selector> otherwise_;
  std::bitset<op::collective_kinds> fixed_;  ///< kinds that `otherwise_` has something fixed for
  mutable std::map<Key, collective::Choice> found_;
};

}  // namespace orrery::kernel
