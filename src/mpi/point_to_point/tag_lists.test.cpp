// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/tag_lists.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <random>

#include "catch.hpp"

namespace orrery::mpi {
namespace {

struct Item {
  int tag = 0;
  int order = 0;
  Item* next = nullptr;
  Item* previous = nullptr;
  TagLinks<Item> tag_links = {};
};

int tag_of(const Item& item) { return item.tag; }

bool is_earlier(const Item& a, const Item& b) { return a.order < b.order; }

}  // namespace

TEST_CASE("the first of a tag in a queue is the same however long the queue is") {
  const std::uint32_t seed = GENERATE(range(1u, 7u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  const int tags = seed % 2 == 0 ? 4 : 500;
  std::deque<Item> items;
  std::list<Item*> naive;
  TagQueue<Item> queue;
  const auto naive_first = [&](int tag) {
    const auto fits = [&](const Item* item) { return tag == any_tag || item->tag == tag || item->tag == any_tag; };
    const auto found = std::ranges::find_if(naive, fits);
    return found == naive.end() ? nullptr : *found;
  };
  std::size_t longest = 0;
  for (int i = 0; i < 5000; ++i) {
    const int tag = draw(50) == 0 ? any_tag : draw(tags);
    Item* first = queue.first_of_tag(tag, is_earlier);
    REQUIRE(first == naive_first(tag));
    if (first != nullptr && draw(3) == 0) {
      queue.remove(*first);
      naive.remove(first);
    } else if (naive.size() < 800) {
      Item& item = items.emplace_back(Item{.tag = tag, .order = i});
      if (draw(100) == 0 && !naive.empty() && tag != any_tag) {  // a message that comes back in front of all others
        item.order = -i;
        queue.insert(item, *naive.front());
        naive.push_front(&item);
      } else {
        queue.append(item);
        naive.push_back(&item);
      }
    } else {
      while (!naive.empty()) {  // and begins again
        queue.remove(*naive.back());
        naive.pop_back();
      }
    }
    longest = std::max(longest, naive.size());
  }
  CHECK(longest > (tags > 4 ? 700 : 10));
}

}  // namespace orrery::mpi
