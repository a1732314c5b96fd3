// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "collective/collective.hpp"

namespace orrery::collective {

/// A call as all ranks of a communicator make it together, all blocks alike.
struct WholeCall {
  CollectiveKind kind = CollectiveKind::Barrier;
  int size = 1;
  int root = 0;
  /// As `Call::bytes`; v-collectives: the bytes of every block; reduce_scatter: the vector, cut into blocks that differ
  /// by one element at most, larger ones first.
  Bytes bytes = {};
  std::int64_t element = 1;
  std::int64_t extent = 0;  ///< 0: as `element`
  bool commutative = true;
  bool built_in = true;
  bool in_place = false;
  bool immediate = false;  ///< a non-blocking call
  const Places* places = nullptr;
};

/// One message of a call.
struct MessageOf {
  int source = 0;
  int sequence = 0;  ///< among the messages of its source, in the order in which they are started
  int dest = 0;
  Bytes bytes = {};
};

/// The counts of every rank, for kinds that have them. Those of gatherv and scatterv belong to the root, but do no harm
/// elsewhere.
[[nodiscard]] std::vector<std::int64_t> counts_of(const WholeCall& call);

/// Calls `visit(call)` with the call of each rank; its counts live as long.
void for_each_rank(const WholeCall& call, const std::function<void(const Call&)>& visit);

/// What the selector chooses; all ranks are given the same answer.
[[nodiscard]] Choice chosen(const WholeCall& call, const Selector& selector);
/// The algorithm of this name, Orrery's or else Open MPI's (for a non-blocking call, first of all that of its
/// `libnbc`); where it does not serve the call, the one that Open MPI runs instead. @throws InputError when there is
/// none
[[nodiscard]] Choice named_choice(const WholeCall& call, std::string_view algorithm, Bytes segment, int fanout);

/// The choice as `after_hand_overs` names it.
[[nodiscard]] Choice served(const WholeCall& call, Choice choice);

/// Those that serve the call on all ranks, without segments; among them such as hand it over.
[[nodiscard]] std::vector<Choice> accepting(const WholeCall& call);
/// How many messages the call sends, about: as if all ranks that have no special part sent as many as the busiest of a
/// few that are looked at.
[[nodiscard]] std::uint64_t estimated_messages(const WholeCall& call, const Choice& choice);

/// Who sends what to whom, by source and sequence. @param choice of an algorithm that accepts the call
[[nodiscard]] std::vector<MessageOf> messages(const WholeCall& call, const Choice& choice);

}  // namespace orrery::collective
