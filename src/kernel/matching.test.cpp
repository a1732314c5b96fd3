// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/matching.hpp"

#include <algorithm>
#include <ctime>
#include <random>
#include <vector>

#include "catch.hpp"

namespace orrery::kernel {
namespace {

/// Matching of three ranks; all messages go to rank 0.
struct Queues {
  Clock clock;
  Pool<Message> messages;
  Pool<Request> requests;
  Matching matching{clock, messages, requests, 3};
  std::uint64_t sent = 0;

  MessageIndex message(std::int32_t source, std::int32_t tag, double visible_s) {
    const MessageIndex index = messages.take();
    messages[index].source = source;
    messages[index].tag = tag;
    messages[index].visible = {visible_s};
    messages[index].order = sent++;
    return index;
  }
  RequestIndex receive(std::int32_t source, std::int32_t tag) {
    const RequestIndex index = requests.take();
    requests[index].source = source;
    requests[index].tag = tag;
    requests[index].order = matching.next_order();
    return index;
  }
  void meet(RequestIndex request, MessageIndex message) {
    matching.remove_posted(request);
    matching.remove_unexpected(message);
  }
};

TEST_CASE("a receive that names its source takes the first message of it with its tag, though it is still on its way") {
  Queues queues;
  const MessageIndex other = queues.message(1, 7, 5), first = queues.message(1, 4, 5), second = queues.message(1, 4, 5);
  for (const MessageIndex message : {other, first, second}) CHECK(queues.matching.deliver(message) == none);
  CHECK(queues.matching.post(queues.receive(1, 4)) == first);
}

TEST_CASE("what nobody has received is counted") {
  Queues queues;
  const MessageIndex first = queues.message(1, 7, 5), second = queues.message(2, 4, 5);
  queues.messages[first].bytes = {10};
  queues.messages[second].bytes = {20};
  for (const MessageIndex message : {first, second}) CHECK(queues.matching.deliver(message) == none);
  CHECK(queues.matching.unreceived().messages == 2);
  CHECK(queues.matching.unreceived().bytes.count == 30);
  queues.meet(queues.receive(1, 7), first);
  CHECK(queues.matching.unreceived().messages == 1);
  CHECK(queues.matching.unreceived().source == 2);
}

TEST_CASE("a message takes the receive of its source that was posted first") {
  Queues queues;
  const RequestIndex first = queues.receive(1, op::any_tag), second = queues.receive(1, 4);
  CHECK(queues.matching.post(first) == none);
  CHECK(queues.matching.post(second) == none);
  CHECK(queues.matching.deliver(queues.message(1, 4, 5)) == first);
}

TEST_CASE("a receive of any source takes the message whose envelope arrives first") {
  Queues queues;
  const RequestIndex any = queues.receive(op::any_source, 4);
  CHECK(queues.matching.post(any) == none);
  const MessageIndex late = queues.message(1, 4, 9), early = queues.message(2, 4, 5);
  CHECK(queues.matching.deliver(late) == none);
  CHECK(queues.matching.deliver(early) == none);
  CHECK(queues.clock.queue.pop().subject == early.value);
  queues.clock.now = {5};
  CHECK(queues.matching.envelope_arrived(early) == any);
}

TEST_CASE("receives that stood behind one of any source get their messages when that has its own") {
  Queues queues;
  const RequestIndex any = queues.receive(op::any_source, 4), named = queues.receive(1, 4);
  CHECK(queues.matching.post(any) == none);
  CHECK(queues.matching.post(named) == none);
  const MessageIndex first = queues.message(1, 4, 5), second = queues.message(1, 4, 6);
  CHECK(queues.matching.deliver(first) == none);
  CHECK(queues.matching.deliver(second) == none);
  CHECK_FALSE(queues.matching.next_behind(0, 0, 1));
  queues.clock.now = {5};
  queues.meet(queues.matching.envelope_arrived(first), first);
  const auto pair = queues.matching.next_behind(0, 0, 1);
  REQUIRE(pair);
  CHECK(pair->request == named);
  CHECK(pair->message == second);
}

TEST_CASE("a probe sees what has arrived, in the order of arrival, and may take it out of the queue") {
  Queues queues;
  const MessageIndex late = queues.message(1, 4, 9), early = queues.message(2, 4, 5);
  CHECK(queues.matching.deliver(late) == none);
  CHECK(queues.matching.deliver(early) == none);
  Queued wanted;
  wanted.source = op::any_source;
  wanted.tag = 4;
  CHECK(queues.matching.first_arrived(0, wanted) == none);
  queues.clock.now = {9};
  CHECK(queues.matching.first_arrived(0, wanted) == early);
  queues.matching.take(0, early);
  CHECK(queues.matching.first_arrived(0, wanted) == late);
  CHECK(queues.matching.untake(0, 2, 0) == early);
  CHECK(queues.matching.untake(0, 2, 0) == none);
}

/// Both queues written down one behind the other, for messages whose envelopes are there at once: what arrives takes
/// the first receive that accepts it, a receive the first message that it accepts.
struct NaiveQueues {
  const Queues& queues;
  std::vector<RequestIndex> posted;
  std::vector<MessageIndex> unexpected;

  RequestIndex deliver(MessageIndex message) {
    return take_first(posted, unexpected, message, [&](RequestIndex request) {
      return accepts(queues.requests[request], queues.messages[message]);
    });
  }
  MessageIndex post(RequestIndex request) {
    return take_first(unexpected, posted, request, [&](MessageIndex message) {
      return accepts(queues.requests[request], queues.messages[message]);
    });
  }
  template <class Item, class Other, class Fits>
  static Item take_first(std::vector<Item>& from, std::vector<Other>& others, Other item, Fits&& fits) {
    const auto found = std::ranges::find_if(from, fits);
    if (found == from.end()) {
      others.push_back(item);
      return none;
    }
    const Item index = *found;
    from.erase(found);
    return index;
  }
};

TEST_CASE("queues of any length are matched in the standard's order, whatever the tags and wildcards") {
  const std::uint32_t seed = GENERATE(range(1u, 9u));
  CAPTURE(seed);
  std::mt19937 random(seed);
  // Few tags give short queues, many give queues of hundreds; every other seed draws one of the two kinds.
  const int tags = seed % 2 == 0 ? 3 : 400;
  const auto draw = [&](int below) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(below)); };
  Queues queues;
  NaiveQueues naive{queues, {}, {}};
  std::size_t longest = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::int32_t source = 1 + draw(2);
    const std::int32_t tag = draw(tags);
    if ((i / 700 + draw(4)) % 4 < 2) {  // first rather receives, then rather messages, and so on
      const RequestIndex request =
          queues.receive(draw(20) == 0 ? op::any_source : source, draw(20) == 0 ? op::any_tag : tag);
      const MessageIndex message = queues.matching.post(request);
      REQUIRE(message == naive.post(request));
      if (message != none) queues.meet(request, message);
    } else {
      const MessageIndex message = queues.message(source, tag, 0);
      RequestIndex request = queues.matching.deliver(message);
      if (request == none && !queues.clock.queue.empty()) {
        CHECK(queues.clock.queue.pop().subject == message.value);
        request = queues.matching.envelope_arrived(message);
      }
      REQUIRE(request == naive.deliver(message));
      if (request != none) queues.meet(request, message);
    }
    longest = std::max({longest, naive.posted.size(), naive.unexpected.size()});
  }
  CHECK(longest > (tags > 3 ? 300 : 10));
}

/// Processor time for `count` receives of one source, posted or looked for in the order of tags that `tag_of` gives.
template <class TagOf>
double seconds_for(int count, bool posted_first, TagOf&& tag_of) {
  Queues queues;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < count; ++i) {
    CHECK((posted_first ? queues.matching.post(queues.receive(1, i)) == none
                        : queues.matching.deliver(queues.message(1, i, 0)) == none));
  }
  for (int i = 0; i < count; ++i) {
    if (posted_first) {
      const MessageIndex message = queues.message(1, tag_of(i), 0);
      queues.meet(queues.matching.deliver(message), message);
    } else {
      const RequestIndex request = queues.receive(1, tag_of(i));
      queues.meet(request, queues.matching.post(request));
    }
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST_CASE("thousands of receives matched in the reverse order take about as long as in the same one") {
  // One by one, 40,000 would look at 800 million: seconds, where the others take hundredths of one.
  constexpr int count = 40'000;
  for (const bool posted_first : {true, false}) {
    CAPTURE(posted_first);
    const double in_order = seconds_for(count, posted_first, [](int i) { return i; });
    CHECK(seconds_for(count, posted_first, [](int i) { return count - 1 - i; }) < 10 * in_order + 0.1);
  }
}

}  // namespace
}  // namespace orrery::kernel
