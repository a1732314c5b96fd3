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
  // Three messages to node 3 take 30 s. If the switch has room, that of node 0 has left the node at 10 s, and the
  // message from node 0 to node 4 then has the link of node 0 to itself.
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
  // The queue has room for one message, so the weights are 2, 1 and 1 of 4. After 8 s the first has left, and half of
  // each other one. Then the second has that room, and twice the rate of the third.
  const Passed one_fits(400, three, 0.5);
  CHECK(one_fits.left_s.at(0) == Approx(8).epsilon(0.1));
  CHECK(one_fits.left_s.at(1) == Approx(11).epsilon(0.05));
  CHECK(one_fits.left_s.at(2) == Approx(12).epsilon(0.05));
  // With room for two, the weights are 4, 2 and 1 of 7: the first needs 7 s, in which the second sends 200 B and the
  // third 100.
  const Passed two_fit(800, three, 0.5);
  CHECK(two_fit.left_s.at(0) == Approx(7).epsilon(0.1));
  CHECK(two_fit.left_s.at(1) < two_fit.left_s.at(2));
  CHECK(two_fit.left_s.at(2) == Approx(12));
  // Beyond the room of the queue, messages share evenly: of 4,000 B only the first 400 are ordered.
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
  // Node 0 wrote three messages; the last is the rest of another one, so it has the weight of the first, and the second
  // half of that.
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
  // The messages of "share a link" above, but 100 B of each pass at once on an idle link. Those of the second message
  // wait for the link into node 2, which is busy, ahead of the first message: it is delayed by a second.
  const Passed passed(4000, {{0, 0, 2, 2000}, {15, 1, 2, 2000}}, 1, 100);
  CHECK(passed.there_s.at(0) == Approx(15 + 1 + 2 * 4).epsilon(0.01));
  CHECK(passed.there_s.at(1) == Approx(39).epsilon(0.01));
  // A link that was busy has no tokens, so no burst passes at once.
  const Passed busy(4000, {{0, 0, 2, 2000}, {0, 1, 3, 1600}, {15, 1, 2, 2000}}, 1, 100);
  CHECK(busy.there_s.at(1) == Approx(15));
  CHECK(busy.there_s.at(0) == Approx(15 + 2 * 4).epsilon(0.01));
}

TEST_CASE("who shares two links with others gets less than who shares one") {
  // Node 0 sends to four nodes, the first of them node 5, to which node 1 sends as well. The two links of that message
  // have four and two messages, those of the others four and one: weights 1/5 and 1/4. So it gets 21 B/s of the link of
  // node 0 and they get 26. They have arrived at 304 s, when it has 1,600 bytes left, at half of the link into node 5.
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
