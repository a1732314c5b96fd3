// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/team.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collective/default_rules.hpp"
#include "collective/parts/messages.hpp"

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

/// One of several scripts that go on at once. What it waits for is told instead of waited for.
class Part {
 public:
  /// @param parts how many there are: they share the numbers of requests
  Part(op::Script script, RequestId number, RequestId parts, std::int32_t tag)
      : script_(std::move(script)), number_(number), parts_(parts), tag_(tag) {}

  /// Its next operation, if it waits for nothing; valid until the next one.
  const Operation* next() {
    if (!pending_.empty()) return nullptr;
    const Operation* next = script_.next();
    if (next == nullptr) return nullptr;
    if (next->kind == op::Kind::WaitAll || next->kind == op::Kind::WaitAny) {
      for (const RequestId id : next->requests) pending_.push_back(mine(id));
      position_ = next->kind == op::Kind::WaitAny ? next->position : nullptr;
      return nullptr;
    }
    operation_ = *next;
    if (!is_message(operation_)) return &operation_;
    operation_.tag = operation_.tag * static_cast<std::int32_t>(parts_) + tag_;
    operation_.request = mine(operation_.request);
    if (operation_.has(op::Blocking)) {
      operation_.flags &= static_cast<std::uint8_t>(~op::Blocking);
      pending_.push_back(operation_.request);
    }
    return &operation_;
  }
  [[nodiscard]] std::span<const RequestId> pending() const { return pending_; }
  /// If it is one of its own.
  void complete(RequestId request) {
    const auto found = std::ranges::find(pending_, request);
    if (found == pending_.end()) return;
    if (position_ == nullptr) {
      pending_.erase(found);
      return;
    }
    *position_ = static_cast<std::uint32_t>(found - pending_.begin());
    pending_.clear();
  }

 private:
  [[nodiscard]] RequestId mine(RequestId id) const { return parts_ * id + number_ + 1; }

  op::Script script_;
  RequestId number_;
  RequestId parts_;
  std::int32_t tag_;
  Operation operation_;
  std::vector<RequestId> pending_;
  std::uint32_t* position_ = nullptr;  ///< where it waits for one of them: says which
};

/// Goes on with each as its messages come. To a reader that does not say what is complete, the last one goes on first.
op::Script go_on(std::vector<Part> parts) {
  std::vector<RequestId> pending;
  for (;;) {
    for (Part& part : parts)
      while (const Operation* operation = part.next()) co_yield *operation;
    pending.clear();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      pending.insert(pending.end(), part->pending().begin(), part->pending().end());
    if (pending.empty()) co_return;
    std::uint32_t position = 0;
    const Operation wait{.kind = op::Kind::WaitAny, .requests = pending, .position = &position};
    co_yield wait;
    for (Part& part : parts) part.complete(pending[position]);
  }
}

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

op::Script overlap(op::Script first, op::Script second, op::Script meanwhile) {
  std::vector<Part> parts;
  parts.emplace_back(std::move(first), 0, 3, 0);
  parts.emplace_back(std::move(second), 1, 3, 1);
  parts.emplace_back(std::move(meanwhile), 2, 3, 0);
  co_yield go_on(std::move(parts));
}

op::Script at_once(std::vector<op::Script> scripts) {
  const auto count = static_cast<RequestId>(scripts.size());
  std::vector<Part> parts;
  for (RequestId number = 0; number < count; ++number)
    parts.emplace_back(std::move(scripts[number]), number, count, static_cast<std::int32_t>(number));
  co_yield go_on(std::move(parts));
}

}  // namespace orrery::collective
