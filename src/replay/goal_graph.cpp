// SPDX-License-Identifier: BSD-3-Clause
#include "replay/goal_graph.hpp"

#include <algorithm>
#include <cmath>

namespace orrery::replay {

using trace::goal::Node;

std::uint32_t GoalThread::add(const Node& node) {
  if (after_.size() > 1) {
    // One node that stands for all, so that what follows needs one edge each.
    const std::uint32_t joint = graph_->add({.kind = trace::goal::Kind::Compute});
    for (const std::uint32_t earlier : after_) graph_->ends_before(earlier, joint);
    after_.assign(1, joint);
    last_ = joint;
  }
  const std::uint32_t number = graph_->add(node);
  for (const std::uint32_t earlier : after_) graph_->ends_before(earlier, number);
  const bool implied = std::find(after_.begin(), after_.end(), last_) != after_.end();
  if (last_ != trace::goal::any && !implied) graph_->begins_before(last_, number);
  last_ = number;
  return number;
}

void GoalThread::compute(double seconds) {
  const auto ns = std::llround(seconds * 1e9);
  if (ns <= 0) return;
  after_.assign(1, add({.kind = trace::goal::Kind::Compute, .size = static_cast<std::uint64_t>(ns)}));
}

void GoalThread::message(const op::Operation& operation, std::uint32_t peer, std::uint32_t tag) {
  const bool sends = operation.kind == op::Kind::Isend;
  const std::uint32_t number = add({.kind = sends ? trace::goal::Kind::Send : trace::goal::Kind::Receive,
                                    .peer = peer,
                                    .tag = tag,
                                    .size = static_cast<std::uint64_t>(operation.bytes.count)});
  if (operation.has(op::Part)) {
    requests_[operation.request].push_back(number);
  } else if (operation.has(op::Blocking)) {
    after_.assign(1, number);
  } else {
    requests_[operation.request].assign(1, number);
  }
}

void GoalThread::wait(std::span<const op::RequestId> requests) {
  for (const op::RequestId request : requests) {
    const auto found = requests_.find(request);
    if (found == requests_.end()) continue;
    after_.insert(after_.end(), found->second.begin(), found->second.end());
    requests_.erase(found);
  }
}

void GoalThread::join(op::RequestId request, std::span<const op::RequestId> requests) {
  std::vector<std::uint32_t> nodes;
  for (const op::RequestId joined : requests) {
    const auto found = requests_.find(joined);
    if (found == requests_.end()) continue;
    nodes.insert(nodes.end(), found->second.begin(), found->second.end());
    requests_.erase(found);
  }
  requests_[request] = std::move(nodes);
}

GoalThread GoalThread::branch() const {
  GoalThread made(*graph_);
  made.after_ = after_;
  made.last_ = last_;
  return made;
}

void GoalThread::follow(const GoalThread& other) {
  after_ = other.after_;
  last_ = other.last_;
}

}  // namespace orrery::replay
