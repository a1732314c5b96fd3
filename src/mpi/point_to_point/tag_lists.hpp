// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <unordered_map>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// Where something stands among those of its tag.
template <class T>
struct TagLinks {
  T* next = nullptr;
  T* previous = nullptr;
};

/// The things of a queue by tag, first in first out, for queues that have become long. T has `tag_links` and is found
/// by `tag_of(T)`.
template <class T>
class TagLists {
 public:
  void append(T& item) {
    Ends& ends = lists_[tag_of(item)];
    item.tag_links = {.next = nullptr, .previous = ends.last};
    (ends.last == nullptr ? ends.first : ends.last->tag_links.next) = &item;
    ends.last = &item;
  }
  void remove(T& item) {
    const auto at = lists_.find(tag_of(item));
    Ends& ends = at->second;
    const auto [next, previous] = item.tag_links;
    (previous == nullptr ? ends.first : previous->tag_links.next) = next;
    (next == nullptr ? ends.last : next->tag_links.previous) = previous;
    if (ends.first == nullptr) lists_.erase(at);
  }
  /// Null if there is none.
  [[nodiscard]] T* first(int tag) const {
    const auto at = lists_.find(tag);
    return at == lists_.end() ? nullptr : at->second.first;
  }

 private:
  struct Ends {
    T* first = nullptr;
    T* last = nullptr;
  };
  std::unordered_map<int, Ends> lists_;
};

/// A queue of things with links to their neighbours: `next`, `previous`, `tag_links`. Who looks for a tag goes through
/// it from the front, until that takes long: then its things are kept by tag as well, for as long as there are some.
template <class T>
class TagQueue {
 public:
  void append(T& item) {
    item.next = nullptr;
    item.previous = last_;
    (last_ == nullptr ? first_ : last_->next) = &item;
    last_ = &item;
    if (by_tag_ != nullptr) by_tag_->append(item);
  }
  /// Before another one; their order among those of a tag is found out anew when it is needed.
  void insert(T& item, T& after) {
    item.next = &after;
    item.previous = after.previous;
    (after.previous == nullptr ? first_ : after.previous->next) = &item;
    after.previous = &item;
    by_tag_.reset();
  }
  void remove(T& item) {
    (item.previous == nullptr ? first_ : item.previous->next) = item.next;
    (item.next == nullptr ? last_ : item.next->previous) = item.previous;
    item.next = item.previous = nullptr;
    if (by_tag_ == nullptr) return;
    by_tag_->remove(item);
    if (first_ == nullptr) by_tag_.reset();
  }
  [[nodiscard]] T* first() const { return first_; }
  /// The first whose tag is `tag` or any tag, or the first of all if `tag` is any tag. `is_earlier(a, b)` says which of
  /// two comes first.
  template <class IsEarlier>
  [[nodiscard]] T* first_of_tag(int tag, IsEarlier&& is_earlier) {
    if (tag == any_tag) return first_;
    int looked_at = 0;
    for (T* item = by_tag_ == nullptr ? first_ : nullptr; item != nullptr; item = item->next) {
      if (tag_of(*item) == tag || tag_of(*item) == any_tag) return item;
      if (++looked_at < long_search) continue;
      keep_by_tag();
      break;
    }
    if (by_tag_ == nullptr) return nullptr;
    T* of_tag = by_tag_->first(tag);
    T* of_any = by_tag_->first(any_tag);
    if (of_tag == nullptr || of_any == nullptr) return of_tag == nullptr ? of_any : of_tag;
    return is_earlier(*of_tag, *of_any) ? of_tag : of_any;
  }

 private:
  static constexpr int long_search = 64;  ///< things looked at in vain

  void keep_by_tag() {
    by_tag_ = std::make_unique<TagLists<T>>();
    for (T* item = first_; item != nullptr; item = item->next) by_tag_->append(*item);
  }

  T* first_ = nullptr;
  T* last_ = nullptr;
  std::unique_ptr<TagLists<T>> by_tag_;
};

}  // namespace orrery::mpi
