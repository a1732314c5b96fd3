// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "op/op.hpp"

namespace orrery::trace::ti {

/// Open requests of a rank, which the format names by sender, receiver and tag: the oldest of those that are alike is
/// meant.
class Requests {
 public:
  struct Key {
    std::int32_t source, dest, tag;
    friend bool operator==(const Key&, const Key&) = default;
  };

  op::RequestId open(const Key& key) {
    if (free_.empty()) free_.push_back(++used_);
    const op::RequestId request = free_.back();
    free_.pop_back();
    open_.push_back({key, request});
    return request;
  }

  /// Removes the oldest; nothing if none is open. 0: it was complete when it was tested.
  std::optional<op::RequestId> take(const Key& key) {
    for (auto at = open_.begin(); at != open_.end(); ++at) {
      if (at->key == key) {
        const op::RequestId request = at->request;
        if (request != 0) free_.push_back(request);
        open_.erase(at);
        return request;
      }
    }
    return std::nullopt;
  }

  /// The oldest goes behind those that are alike: a test looks at each in turn.
  std::optional<op::RequestId> test(const Key& key) {
    for (auto at = open_.begin(); at != open_.end(); ++at) {
      if (at->key == key) {
        const Open tested = *at;
        open_.erase(at);
        open_.push_back(tested);
        return tested.request;
      }
    }
    return std::nullopt;
  }

  /// The one that was tested last is complete; a wait for it that follows has nothing to do.
  void tested_complete() {
    if (open_.empty() || open_.back().request == 0) return;
    free_.push_back(open_.back().request);
    open_.back().request = 0;
  }

  /// Removes all, and adds those that are not complete to `list`.
  void take_all(std::vector<op::RequestId>& list) {
    for (const Open& entry : open_) {
      if (entry.request == 0) continue;
      list.push_back(entry.request);
      free_.push_back(entry.request);
    }
    open_.clear();
  }

 private:
  struct Open {
    Key key;
    op::RequestId request;
  };
  std::vector<Open> open_;
  std::vector<op::RequestId> free_;
  op::RequestId used_ = 0;
};

}  // namespace orrery::trace::ti
