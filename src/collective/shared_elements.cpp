// SPDX-License-Identifier: BSD-3-Clause
#include "collective/shared_elements.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery::collective {
namespace {

bool types_may_differ(CollectiveKind kind) {
  using enum CollectiveKind;
  switch (kind) {
    case Bcast:
    case Gather:
    case Gatherv:
    case Scatter:
    case Scatterv:
    case Allgather:
    case Allgatherv:
    case Alltoall:
    case Alltoallv: return true;
    default: return false;
  }
}

}  // namespace

void SharedElements::agree(std::uint64_t number, std::size_t position, std::size_t members, Call& call) {
  if (members < 2 || !types_may_differ(call.kind)) return;
  Known& all = known(number);
  ++all.came;
  if (call.immediate) {
    all.starts.resize(members);
    all.most_starts = std::max(all.most_starts, ++all.starts[position]);
  }
  if (call.root != op::no_part) {
    if (all.element == 0) std::tie(all.element, all.extent) = std::pair(call.element, call.extent);
    call.element = all.element;
    call.extent = all.extent;
  }
  if (all.came == members * all.most_starts) forget(number);
}

SharedElements::Known& SharedElements::known(std::uint64_t number) {
  if (const auto found = known_.find(number); found != known_.end()) return found->second;
  if (unused_.empty()) return known_[number];
  Calls::node_type node = std::move(unused_.back());
  unused_.pop_back();
  node.key() = number;
  node.mapped().element = 0;
  node.mapped().came = 0;
  node.mapped().most_starts = 1;
  node.mapped().starts.clear();
  return known_.insert(std::move(node)).position->second;
}

void SharedElements::forget(std::uint64_t number) { unused_.push_back(known_.extract(number)); }

}  // namespace orrery::collective
