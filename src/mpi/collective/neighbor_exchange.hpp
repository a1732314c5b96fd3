// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "mpi/collective/blocks.hpp"
#include "mpi/collective/exchange.hpp"
#include "mpi/topology/topology.hpp"

namespace orrery::mpi {

/// Direct: from each rank to its neighbours. What goes to one rank, in one or several blocks, is one piece.
class NeighborExchange final : public Repeatable<NeighborExchange> {
 public:
  /// @param one_block all neighbours are sent the first block of `send`
  NeighborExchange(op::CollectiveKind kind, bool one_block, Blocks send, Blocks recv, const Neighbors& neighbors,
                   Comm& comm);

 private:
  /// A block, by its position among the neighbours, and the neighbour's rank.
  struct Slot {
    int rank;
    int position;
  };
  /// All of one rank.
  using Slots = std::span<const Slot>;

  void begin() override;
  [[nodiscard]] bool expects(int from) const override;
  void receive(int from, Piece piece) override;
  void receive_own() override;

  [[nodiscard]] static Slots of_rank(const std::vector<Slot>& slots, int rank);
  [[nodiscard]] Data to(const Slot& slot) const { return send_[one_block_ ? 0 : slot.position]; }
  [[nodiscard]] Data from(const Slot& slot) const { return recv_[slot.position]; }
  void time(op::CollectiveKind kind);
  void post_to(int rank, Slots slots);

  Blocks send_;
  Blocks recv_;
  bool one_block_;
  std::vector<Slot> destinations_;              ///< by rank, of one rank in the order of their messages
  std::vector<Slot> sources_;                   ///< likewise
  std::vector<std::vector<std::byte>> packed_;  ///< of ranks that are neighbours several times
};

}  // namespace orrery::mpi
