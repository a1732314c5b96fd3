// SPDX-License-Identifier: BSD-3-Clause
#include "transport/switch_queue.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "catch.hpp"
#include "network/example.test.hpp"

using namespace orrery;
using namespace orrery::transport;
using namespace orrery::network::example;

namespace {

struct Sent {
  double start_s;
  platform::HostId from, to;
  double bytes;
};

/// Messages over links of 100 B/s.
struct Passed {
  std::map<TransferId, double> left_s, there_s;
  double most_between = 0;  ///< of the first

  Passed(double queue_bytes, const std::vector<Sent>& messages, double later_share = 1, double burst_bytes = 0) {
    const platform::Platform platform = star(6, 1, 2);
    sharing::FlowEngine flows(platform, burst_bytes);
    SwitchQueue queue(platform, flows, queue_bytes, later_share);
    platform::Route route;
    for (TransferId id = 0; id < messages.size(); ++id) {
      advance(queue, messages[id].start_s);
      platform.route(messages[id].from, messages[id].to, route);
      queue.start(id, {messages[id].start_s}, messages[id].bytes, route.links, {100}, {});
    }
    advance(queue, 1e300);
  }

  void advance(SwitchQueue& queue, double until_s) {
    for (auto next = queue.next_event(); next && next->s < until_s; next = queue.next_event()) {
      SwitchQueue::Moved moved;
      queue.advance(*next, moved);
      for (const TransferId id : moved.left_node) left_s[id] = next->s;
      for (const TransferId id : moved.arrived) there_s[id] = next->s;
      if (!there_s.contains(0)) most_between = std::max(most_between, queue.between_bytes(0, *next));
    }
  }
};

}  // namespace

TEST_CASE("a lone message takes as long in pieces as in one") {
  for (const double queue_bytes : {0.0, 300.0, 5000.0}) {
    const Passed passed(queue_bytes, {{0, 0, 1, 2000}});
    CHECK(passed.left_s.at(0) == Approx(20));
    CHECK(passed.there_s.at(0) == Approx(20));
  }
}

TEST_CASE("what waits behind the switch leaves its node's link to others") {
  // Three into node 3, which takes them 30 s. Node 0's message has left it at 10 if there is room behind the switch,
  // and what it sends to node 4 then has its link to itself.
  const std::vector<Sent> crowd = {{0, 0, 3, 1000}, {0, 1, 3, 1000}, {0, 2, 3, 1000}, {12, 0, 4, 1000}};
  const Passed queued(500, crowd);
  CHECK(queued.left_s.at(0) == Approx(10));
  CHECK(queued.there_s.at(0) == Approx(30).epsilon(0.03));  // its first piece met no other
  CHECK(queued.there_s.at(3) == Approx(12 + 10));
  const Passed together(0, crowd);
  CHECK(together.left_s.at(0) == Approx(30));
  CHECK(together.there_s.at(0) == Approx(30));
  CHECK(together.there_s.at(3) == Approx(12 + 15));
}

TEST_CASE("what a node wrote first is out first, as far as its queue goes") {
  const std::vector<Sent> three = {{0, 0, 1, 400}, {0, 0, 2, 400}, {0, 0, 3, 400}};
  const Passed even(400, three);
  for (TransferId id = 0; id < 3; ++id) CHECK(even.left_s.at(id) == Approx(12).epsilon(0.1));
  // The queue has room for one, so the others share what it leaves: 2, 1 and 1 of 4. After 8 s it is out, and half of
  // each of them; then the second has that room, and twice the rate of the third.
  const Passed one_fits(400, three, 0.5);
  CHECK(one_fits.left_s.at(0) == Approx(8).epsilon(0.1));
  CHECK(one_fits.left_s.at(1) == Approx(11).epsilon(0.05));
  CHECK(one_fits.left_s.at(2) == Approx(12).epsilon(0.05));
  // With room for two, shares of 4, 2 and 1 of 7: the first needs 7 s, in which the second gets 200 B and the third
  // 100.
  const Passed two_fit(800, three, 0.5);
  CHECK(two_fit.left_s.at(0) == Approx(7).epsilon(0.1));
  CHECK(two_fit.left_s.at(1) < two_fit.left_s.at(2));
  CHECK(two_fit.left_s.at(2) == Approx(12));
  // What does not fit shares evenly: of 4,000 B only the first 400 are ordered.
  const Passed large(400, {{0, 0, 1, 4000}, {0, 0, 2, 4000}}, 0.5);
  CHECK(large.left_s.at(0) > 70);
  CHECK(large.left_s.at(1) == Approx(80));
}

TEST_CASE("messages share a link from when one comes until one goes") {
  // Node 0 has sent 1,500 of 2,000 B to node 2 when node 1 begins; from then on each gets half.
  const Passed passed(4000, {{0, 0, 2, 2000}, {15, 1, 2, 2000}});
  CHECK(passed.there_s.at(0) == Approx(15 + 10));
  CHECK(passed.there_s.at(1) == Approx(40));
}

TEST_CASE("what is left of a message keeps no place behind others") {
  // Of three that node 0 wrote, the last is the rest of another: it shares with the first, the second has half of that.
  const platform::Platform platform = star(6, 1, 2);
  sharing::FlowEngine flows(platform, 0);
  SwitchQueue queue(platform, flows, 400, 0.5);
  platform::Route route;
  for (const TransferId id : {0U, 1U, 2U}) {
    platform.route(0, 1 + id, route);
    queue.start(id, {0}, 400, route.links, {100}, {.continues = id == 2});
  }
  std::vector<TransferId> order;
  double rest_s = 0;
  for (auto next = queue.next_event(); next; next = queue.next_event()) {
    SwitchQueue::Moved moved;
    queue.advance(*next, moved);
    if (std::ranges::find(moved.left_node, 2U) != moved.left_node.end()) rest_s = next->s;
    order.insert(order.end(), moved.left_node.begin(), moved.left_node.end());
  }
  CHECK(order.back() == 1);
  CHECK(rest_s == Approx(10));  // 2/5 of the link
}

TEST_CASE("what a link lets pass at once comes before what others send") {
  // As above, but 100 B of each message pass at once on an idle link. Those of the second stand in front of the link
  // into node 2, which is not idle: the first stands still for a second.
  const Passed passed(4000, {{0, 0, 2, 2000}, {15, 1, 2, 2000}}, 1, 100);
  CHECK(passed.there_s.at(0) == Approx(15 + 1 + 2 * 4).epsilon(0.01));
  CHECK(passed.there_s.at(1) == Approx(39).epsilon(0.01));
  // A link that was busy until now lets nothing pass at once.
  const Passed busy(4000, {{0, 0, 2, 2000}, {0, 1, 3, 1600}, {15, 1, 2, 2000}}, 1, 100);
  CHECK(busy.there_s.at(1) == Approx(15));
  CHECK(busy.there_s.at(0) == Approx(15 + 2 * 4).epsilon(0.01));
}

TEST_CASE("who shares two links with others gets less than who shares one") {
  // Node 0 sends to four, the first of them node 5, whose link it shares with node 1. Four and two stand at the two
  // links of that message, four and one at those of the others: 1/5 against 1/4. So of node 0's link it gets 21 B/s
  // where they get 26, and they are there at 304, when it has 1,600 bytes left, at half of the link into node 5.
  const Passed passed(50, {{0, 0, 5, 8000}, {0, 0, 2, 8000}, {0, 0, 3, 8000}, {0, 0, 4, 8000}, {0, 1, 5, 32000}});
  for (TransferId id = 1; id < 4; ++id) CHECK(passed.there_s.at(id) == Approx(304).epsilon(0.01));
  CHECK(passed.there_s.at(0) == Approx(304 + 32).epsilon(0.01));
}

TEST_CASE("no more than a window stands behind the switch") {
  const std::vector<Sent> crowd = {{0, 0, 3, 2000}, {0, 1, 3, 2000}, {0, 2, 3, 2000}};
  const Passed passed(100, crowd);
  CHECK(passed.most_between > 200);
  CHECK(passed.most_between <= 400 + 1e-6);
  CHECK(passed.left_s.at(0) > 45);
  CHECK(passed.there_s.at(0) == Approx(60).epsilon(0.01));
}
