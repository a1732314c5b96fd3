// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/platform.hpp"

namespace orrery::platform {

/// Which technique connects the nodes of two clusters, and which frontal relays. State: clusters².
///
/// Whether messages are relayed is the same in both directions, as connections carry both.
class Reach {
 public:
  /// @throws InputError for what the table does not allow, or two clusters whose nodes nothing can connect, with their
  /// names
  Reach(const std::vector<settings::Cluster>& clusters, const std::optional<settings::Broker>& broker);

  /// How a connection is made whose first message goes from a node of `from` to one of `to`, another cluster.
  [[nodiscard]] Technique technique(std::uint32_t from, std::uint32_t to) const;
  /// Cluster whose frontal relays between two clusters; none: they need no relay. Of two frontals it is the one with
  /// the higher rate, of equal ones that of the first cluster.
  [[nodiscard]] std::optional<std::uint32_t> relay(std::uint32_t from, std::uint32_t to) const {
    if (relays_.empty()) return std::nullopt;
    return relays_[from * policies_.size() + to];
  }

 private:
  struct Policy {
    bool accepts = true, traversable = false;
  };
  [[nodiscard]] bool needs_relay(std::uint32_t from, std::uint32_t to) const;

  std::vector<Policy> policies_;                      ///< by cluster
  std::vector<std::optional<std::uint32_t>> relays_;  ///< by pair of clusters; empty: there is no broker
};

}  // namespace orrery::platform
