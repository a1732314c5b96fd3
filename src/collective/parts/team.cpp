// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/team.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "collective/default_rules.hpp"

namespace orrery::collective {
namespace {

using op::Operation;
using op::RequestId;

int position(std::span<const int> ranks, int rank) {
  return static_cast<int>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

/// The ranks at this rank's place; their root is on the root's node, if one of them is.
Team beside(const Nodes& nodes, int self, int root) {
  const std::span<const int> ranks = nodes.at(nodes.place(self));
  const auto on_node = std::ranges::find(ranks, nodes.of(root), [&](int rank) { return nodes.of(rank); });
  return {ranks, position(ranks, self), on_node == ranks.end() ? 0 : static_cast<int>(on_node - ranks.begin())};
}

/// Two scripts that share the numbers of requests: one has the even ones, the other one the odd ones.
class Relabel {
 public:
  explicit Relabel(RequestId offset) : offset_(offset) {}

  [[nodiscard]] RequestId request(RequestId id) const { return 2 * id + offset_; }
  /// Valid until the next one.
  const Operation& operator()(const Operation& operation) {
    operation_ = operation;
    if (operation.request != 0) operation_.request = request(operation.request);
    requests_.clear();
    for (const RequestId id : operation.requests) requests_.push_back(request(id));
    operation_.requests = requests_;
    return operation_;
  }

 private:
  RequestId offset_;
  Operation operation_;
  std::vector<RequestId> requests_;
};

bool is_message(const Operation& operation) {
  return operation.kind == op::Kind::Isend || operation.kind == op::Kind::Irecv;
}
bool waits(const Operation& operation) { return operation.has(op::Blocking) || operation.kind == op::Kind::WaitAll; }

}  // namespace

TwoLevels::TwoLevels(const Call& call, int root)
    : nodes(call.places->nodes()),
      low{nodes->on(nodes->of(call.self)), nodes->place(call.self), nodes->place(root)},
      up(beside(*nodes, call.self, root)),
      leads(low.is_root()) {}

TeamCall::TeamCall(const Call& whole, const Team& team, CollectiveKind kind, Bytes bytes, Choose otherwise,
                   bool immediate)
    : call(whole) {
  call.kind = kind;
  call.self = team.self;
  call.size = team.size();
  call.root = team.root;
  call.bytes = bytes;
  call.immediate = whole.immediate || immediate;
  call.segment = {};
  call.fanout = 0;
  call.places = nullptr;
  call.hierarchy = {};
  if (team.size() == 1) {  // libraries have nothing to choose for it
    choice = default_choice(call);
  } else {
    choice = whole.parts != nullptr ? whole.parts->choose(call) : otherwise(call);
  }
}

op::Script TeamCall::stream(const Team& team, const Placed& buffers) const {
  const Members members{.ranks = team.ranks};
  return embed(choice.algorithm->stream(choice.applied_to(call)), buffers, members);
}

op::Script both(op::Script first, op::Script second) {
  co_yield std::move(first);
  co_yield std::move(second);
}

op::Script overlap(op::Script ahead, op::Script meanwhile) {
  Relabel even(2), odd(1);
  const std::array<RequestId, 1> blocking{even.request(0)};
  const Operation* next = ahead.next();
  for (; next != nullptr && !waits(*next); next = ahead.next()) co_yield even(*next);
  const bool waits_for_message = next != nullptr && is_message(*next);
  if (waits_for_message) {
    Operation started = *next;
    started.flags &= static_cast<std::uint8_t>(~op::Blocking);
    started.request = blocking[0];
    co_yield started;
  }
  while (const Operation* operation = meanwhile.next()) co_yield odd(*operation);
  if (waits_for_message) {
    const Operation wait{.kind = op::Kind::WaitAll, .requests = blocking};
    co_yield wait;
    next = ahead.next();
  }
  for (; next != nullptr; next = ahead.next()) co_yield even(*next);
}

}  // namespace orrery::collective
