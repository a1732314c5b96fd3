// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/path.hpp"

#include <algorithm>
#include <utility>

namespace orrery::timeline {
namespace {

constexpr Segment computing{0, 0, 0, 0, State::Compute};

bool is_earlier(const Segment& a, const Segment& b) { return a.begin_ns < b.begin_ns; }

}  // namespace

PathPieces::PathPieces(std::vector<Lineage::Stay> stays, std::uint32_t ranks, std::size_t most)
    : stays_(std::move(stays)),
      by_rank_(stays_.size()),
      cursors_(ranks, Cursor{}),
      most_(std::max<std::size_t>(most, 1)) {
  for (const Lineage::Stay& stay : stays_) ++cursors_[stay.rank].last;
  std::uint32_t placed = 0;
  for (Cursor& cursor : cursors_) {
    cursor.stay = placed;
    placed += std::exchange(cursor.last, placed);
  }
  for (std::uint32_t i = 0; i < stays_.size(); ++i) by_rank_[cursors_[stays_[i].rank].last++] = i;
  for (Cursor& cursor : cursors_)
    if (cursor.stay < cursor.last) cursor.covered_ns = stays_[by_rank_[cursor.stay]].begin_ns;
  path_.by_rank_ns.assign(ranks, 0);
  path_.changes = stays_.empty() ? 0 : stays_.size() - 1;
}

void PathPieces::add(const Interval& interval) {
  Cursor& cursor = cursors_[interval.rank];
  cover(cursor, interval.begin_ns, computing);
  cover(cursor, interval.end_ns, {0, 0, interval.rank, interval.routine, interval.state});
}

/// The rank did this from where it is covered to `to_ns`: adds what of it lies on the path.
void PathPieces::cover(Cursor& cursor, std::int64_t to_ns, const Segment& what) {
  while (cursor.stay < cursor.last && cursor.covered_ns < to_ns) {
    const Lineage::Stay& stay = stays_[by_rank_[cursor.stay]];
    const std::int64_t begin_ns = cursor.covered_ns, end_ns = std::min(to_ns, stay.end_ns);
    if (begin_ns < end_ns) {
      path_.segments.push_back({begin_ns, end_ns, stay.rank, what.routine, what.state});
      path_.by_state_ns[static_cast<std::size_t>(what.state)] += end_ns - begin_ns;
      path_.by_rank_ns[stay.rank] += end_ns - begin_ns;
      if (path_.segments.size() >= 2 * most_) join();
    }
    cursor.covered_ns = end_ns;
    if (end_ns < stay.end_ns) return;
    if (++cursor.stay < cursor.last) cursor.covered_ns = stays_[by_rank_[cursor.stay]].begin_ns;
  }
}

/// Joins segments of the same rank that touch, by twos, until no more than wanted are left, or none touch.
void PathPieces::join() {
  std::vector<Segment>& segments = path_.segments;
  std::sort(segments.begin(), segments.end(), is_earlier);
  for (std::size_t before = 0; segments.size() > most_ && before != segments.size();) {
    before = segments.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < before; ++i) {
      Segment& segment = segments[kept++] = segments[i];
      if (i + 1 == before || segments[i + 1].rank != segment.rank || segments[i + 1].begin_ns != segment.end_ns)
        continue;
      const Segment& next = segments[++i];
      if (next.end_ns - next.begin_ns > segment.end_ns - segment.begin_ns) {
        segment.routine = next.routine;
        segment.state = next.state;
      }
      segment.end_ns = next.end_ns;
    }
    segments.resize(kept);
    path_.joined += before - kept;
  }
  if (segments.size() > most_) most_ = segments.size();
}

Path PathPieces::path(std::uint64_t joined) {
  for (Cursor& cursor : cursors_) cover(cursor, INT64_MAX, computing);
  if (path_.segments.size() > most_) join();
  std::sort(path_.segments.begin(), path_.segments.end(), is_earlier);
  path_.joined += joined;
  return std::move(path_);
}

}  // namespace orrery::timeline
