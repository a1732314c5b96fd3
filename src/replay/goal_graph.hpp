// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "op/op.hpp"
#include "trace/goal/schedule.hpp"

namespace orrery::replay {

/// The graph of one rank while it is made.
class GoalGraph {
 public:
  std::uint32_t add(const trace::goal::Node& node) {
    draft_.nodes.push_back(node);
    return static_cast<std::uint32_t>(draft_.nodes.size() - 1);
  }
  void ends_before(std::uint32_t from, std::uint32_t to) { draft_.after_end.push_back({from, to}); }
  void begins_before(std::uint32_t from, std::uint32_t to) { draft_.after_begin.push_back({from, to}); }
  [[nodiscard]] trace::goal::Draft take() && { return std::move(draft_); }

 private:
  trace::goal::Draft draft_;
};

/// A sequence of operations that becomes part of a graph: the rank itself, or a collective call of it.
class GoalThread {
 public:
  explicit GoalThread(GoalGraph& graph) : graph_(&graph) {}

  void compute(double seconds);
  /// A send or receive; the rank goes on after it if it blocks.
  void message(const op::Operation& operation, std::uint32_t peer, std::uint32_t tag);
  void wait(std::span<const op::RequestId> requests);
  /// `request` is over once those of the list are, and what is Part of it.
  void join(op::RequestId request, std::span<const op::RequestId> requests);

  /// A sequence that begins where this one is.
  [[nodiscard]] GoalThread branch() const;
  /// Goes on where `other` ends.
  void follow(const GoalThread& other);
  /// `request` is over where `other` ends.
  void open(op::RequestId request, const GoalThread& other) { requests_[request] = other.after_; }

 private:
  std::uint32_t add(const trace::goal::Node& node);

  GoalGraph* graph_;
  std::vector<std::uint32_t> after_;       ///< what has to end before the next operation
  std::uint32_t last_ = trace::goal::any;  ///< what has to begin before it
  std::unordered_map<op::RequestId, std::vector<std::uint32_t>> requests_;
};

}  // namespace orrery::replay
