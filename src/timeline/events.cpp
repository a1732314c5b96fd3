// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/events.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "timeline/walk.hpp"

namespace orrery::timeline {
namespace {

class AllMessages final : public Listener {
 public:
  void interval(const Interval& /*interval*/) override {}
  void message(const Message& message) override { found.push_back(message); }

  std::vector<Message> found;
};

class AllWaits final : public Listener {
 public:
  void interval(const Interval& /*interval*/) override {}
  void message(const Message& /*message*/) override {}
  void wait(const Wait& wait) override { found.push_back(wait); }

  std::vector<Wait> found;
};

}  // namespace

void sort_by_begin(std::vector<Message>& messages) {
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
    return std::tie(a.begin_ns, a.from, a.to, a.end_ns, a.sent_by, a.received_by) <
           std::tie(b.begin_ns, b.from, b.to, b.end_ns, b.sent_by, b.received_by);
  });
}

bool Events::continues(const Event& event) const {
  const Call& call = calls_.call();
  return call.timed && !call.first && call.routine == event.routine && call.begin_ns == event.end_ns;
}

std::vector<Event> Events::next(std::size_t most) {
  std::vector<Event> events;
  while (is_there_ && events.size() < most) {
    const Call& call = calls_.call();
    if (!call.timed || (call.routine == 0 && call.steps.front().kind != op::Kind::Sleep)) {
      is_there_ = calls_.next();
      continue;
    }
    const Step& step = call.steps.front();
    Event event{.begin_ns = call.begin_ns,
                .end_ns = call.end_ns,
                .bytes = call.bytes,
                .number = step.number,
                .behind = 0,
                .peer = step.peer,
                .tag = step.tag,
                .comm = call.comm,
                .site = call.site,
                .routine = call.routine,
                .ran = call.ran,
                .kind = step.kind,
                .collective = step.collective};
    do {
      event.end_ns = call.end_ns;
      event.behind = calls_.operations();
      is_there_ = calls_.next();
    } while (is_there_ && continues(event));
    events.push_back(event);
  }
  return events;
}

std::vector<Wait> waits(const trace::File& file, const std::atomic<bool>* stop) {
  static_cast<void>(end_of_run(file));
  AllWaits all;
  Walk(file, all).run(stop);
  std::sort(all.found.begin(), all.found.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.rank, a.begin_ns, a.end_ns) < std::tie(b.rank, b.begin_ns, b.end_ns);
  });
  return std::move(all.found);
}

std::vector<Message> messages(const trace::File& file, const std::atomic<bool>* stop) {
  static_cast<void>(end_of_run(file));
  AllMessages all;
  Walk(file, all).run(stop);
  sort_by_begin(all.found);
  return std::move(all.found);
}

}  // namespace orrery::timeline
