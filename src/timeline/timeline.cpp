// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/timeline.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "timeline/events.hpp"
#include "timeline/path.hpp"
#include "timeline/pyramid.hpp"
#include "timeline/selection.hpp"
#include "timeline/waits.hpp"
#include "timeline/walk.hpp"

namespace orrery::timeline {
namespace {

/// Takes down everything, but events only as long as they are not too many.
class Everything final : public Listener {
 public:
  Everything(std::uint32_t ranks, std::int64_t end_ns, const Limits& limits)
      : most_(limits.events), pyramid_(ranks, std::max(end_ns, limits.axis_ns), limits), waits_(ranks, limits.waits) {}

  void interval(const Interval& interval) override {
    if (has_room()) intervals_.push_back(interval);
  }
  void message(const Message& message) override {
    if (has_room()) sent_.push_back(message);
  }
  void state(std::uint32_t rank, State state, std::int64_t begin_ns, std::int64_t end_ns) override {
    pyramid_.add(rank, state, begin_ns, end_ns);
  }
  void wait(const Wait& wait) override { waits_.add(wait); }

  void write(Timeline& timeline) {
    timeline.complete = fits_;
    timeline.levels = pyramid_.levels();
    timeline.intervals = std::move(intervals_);
    timeline.sent = std::move(sent_);
    timeline.wait_sums = waits_.sums();
    timeline.caused_ns = waits_.caused_ns();
    timeline.longest = waits_.longest();
  }

 private:
  bool has_room() {
    if (fits_ && intervals_.size() + sent_.size() >= most_) {
      fits_ = false;
      intervals_ = {};
      sent_ = {};
    }
    return fits_;
  }

  std::size_t most_;
  bool fits_ = true;
  Pyramid pyramid_;
  Waits waits_;
  std::vector<Interval> intervals_;
  std::vector<Message> sent_;
};

/// Takes down what happened around the critical path and the longest waits: three intervals for each message.
class Chosen final : public Listener {
 public:
  Chosen(PathPieces& pieces, Windows& windows, std::size_t most)
      : pieces_(pieces), windows_(windows), intervals_(most - most / 4), sent_(most / 4) {}

  void interval(const Interval& interval) override {
    pieces_.add(interval);
    if (windows_.touches(interval.rank, interval.begin_ns, interval.end_ns)) intervals_.add(interval);
  }
  void message(const Message& message) override {
    if (windows_.touches(message.from, message.begin_ns, message.begin_ns) ||
        windows_.touches(message.to, message.end_ns, message.end_ns))
      sent_.add(message);
  }
  void write(Timeline& timeline) {
    timeline.intervals = intervals_.take();
    timeline.sent = sent_.take();
  }

 private:
  PathPieces& pieces_;
  Windows& windows_;
  Longest<Interval> intervals_;
  Longest<Message> sent_;
};

/// The critical path, and each of the longest waits with as much time before and after it, on both ranks.
Windows windows_of(const std::vector<Lineage::Stay>& stays, const Timeline& timeline) {
  Windows windows(timeline.ranks);
  for (const Lineage::Stay& stay : stays) windows.add(stay.rank, stay.begin_ns, stay.end_ns);
  for (const Wait& wait : timeline.longest) {
    const std::int64_t length_ns = wait.end_ns - wait.begin_ns;
    for (const std::uint32_t rank : {wait.rank, wait.by})
      windows.add(rank, wait.begin_ns - length_ns, wait.end_ns + length_ns);
  }
  windows.prepare();
  return windows;
}

void sort_events(Timeline& timeline) {
  std::sort(timeline.intervals.begin(), timeline.intervals.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.rank, a.begin_ns, a.end_ns) < std::tie(b.rank, b.begin_ns, b.end_ns);
  });
  sort_by_begin(timeline.sent);
}

}  // namespace

std::int64_t end_of_run(const trace::File& file) {
  const std::int64_t end_ns = end_of(file);
  if (end_ns < 0)
    throw InputError(concat(file.path(),
                            ": does not say when anything happened: simulate it first "
                            "(orrery replay ",
                            file.path(), " -o TIMED.trace), and look at what that writes"));
  return end_ns;
}

Timeline read(const trace::File& file, const Limits& limits, const std::atomic<bool>* stop) {
  const std::int64_t end_ns = end_of_run(file);
  Timeline timeline;
  Everything everything(file.streams(), end_ns, limits);
  Walk walk(file, everything);
  walk.run(stop);
  walk.describe(timeline);
  everything.write(timeline);
  const std::vector<Lineage::Stay> stays = walk.critical_path();
  PathPieces pieces(stays, timeline.ranks, limits.events);
  if (timeline.complete) {
    sort_events(timeline);
    for (const Interval& interval : timeline.intervals) pieces.add(interval);
  } else {
    Windows windows = windows_of(stays, timeline);
    Chosen chosen(pieces, windows, limits.events);
    Walk(file, chosen).run(stop);
    chosen.write(timeline);
    sort_events(timeline);
  }
  timeline.path = pieces.path(walk.joined());
  return timeline;
}

}  // namespace orrery::timeline
