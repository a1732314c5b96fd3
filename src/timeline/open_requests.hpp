// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "op/op.hpp"

namespace orrery::timeline {

/// What completes with the requests of a rank. Most ranks have few of them: those lie in a list that is searched
/// through, in one place in memory; what is beyond goes into a table.
class OpenRequests {
 public:
  struct Open {
    bool collective;
    std::uint64_t which;  ///< Matching::Number, or Gatherings::Key
  };

  void add(op::RequestId request, Open open) {
    if (few_.size() < most_few) {
      few_.push_back({request, open});
    } else {
      more_.insert({request, open});
    }
  }

  /// Takes out one that completes with `request`; false: there is none
  bool take(op::RequestId request, Open& open) {
    for (std::size_t i = 0; i < few_.size(); ++i) {
      if (few_[i].request != request) continue;
      open = few_[i].open;
      few_[i] = few_.back();
      few_.pop_back();
      return true;
    }
    if (more_.empty()) return false;
    const auto found = more_.find(request);
    if (found == more_.end()) return false;
    open = found->second;
    more_.erase(found);
    return true;
  }

  /// Calls `visit` with all that complete with `request`.
  template <class Visit>
  void each(op::RequestId request, Visit&& visit) const {
    for (const Entry& entry : few_)
      if (entry.request == request) visit(entry.open);
    const auto [first, last] = more_.equal_range(request);
    for (auto i = first; i != last; ++i) visit(i->second);
  }

 private:
  struct Entry {
    op::RequestId request;
    Open open;
  };
  static constexpr std::size_t most_few = 16;

  std::vector<Entry> few_;
  std::unordered_multimap<op::RequestId, Open> more_;
};

}  // namespace orrery::timeline
