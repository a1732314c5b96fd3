// SPDX-License-Identifier: BSD-3-Clause
#include "transport/passages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::transport {

Passages::Passages(const platform::Platform& platform, sharing::FlowEngine& flows, double queue_bytes,
                   double later_share)
    : flows_(flows), queue_bytes_(queue_bytes), later_share_(later_share) {
  if (queue_bytes_ <= 0) return;
  for (platform::LinkId id = 0; id < platform.link_count(); ++id)
    is_limiter_.push_back(platform.link(id).kind == platform::LinkKind::NodeLimiter);
  leaving_.resize(platform.link_count());
  coming_.resize(platform.link_count());
}

/// A route begins with its node's link, and the limiter of that. With a limiter at both ends it has four links at
/// least.
std::uint32_t Passages::own_links(std::span<const platform::LinkId> links) const {
  constexpr std::size_t with_limiters = 4;
  return links.size() >= with_limiters && is_limiter_[links[1]] ? 2 : 1;
}

void Passages::start(TransferId id, SimTime now, double bytes, std::span<const platform::LinkId> links, Bandwidth bound,
                     Terms terms) {
  if (id >= passages_.size()) passages_.resize(std::max<std::size_t>(std::size_t{id} + 1, 2 * passages_.size()));
  Passage& passage = passages_[id];
  passage.bytes = bytes;
  passage.bound = bound;
  passage.out = passage.on = {};
  passage.divided = queue_bytes_ > 0 && links.size() > 1;
  passage.terms = terms;
  if (!passage.divided) passage.terms.stops_after = kNever;
  passage.stopped = false;
  passage.pieces = 1;
  passage.piece = bytes;
  passage.links.assign(links.begin(), links.end());
  passage.own_links = static_cast<std::uint32_t>(links.size());
  if (passage.divided) {
    passage.own_links = own_links(links);
    passage.piece = std::max(queue_bytes_, bytes / most_pieces);
    Line& leaving = leaving_[links.front()];
    passage.burst = leaving.messages.empty() && passage.terms.stops_after == kNever
                        ? std::min(bytes, flows_.burst_bytes(links.first(passage.own_links), now))
                        : 0;
    while (begin_of(passage, passage.pieces) < bytes) ++passage.pieces;
    passage.place = terms.continues ? leaving.out : leaving.written++;
    come(leaving, id, now);
    come(coming_[links.back()], id, now);
  }
  go_on(id, now);
}

void Passages::resume(TransferId id, SimTime now) {
  passages_[id].stopped = false;
  go_on(id, now);
}

/// One that stops is in two pieces: what leaves before, and the rest.
double Passages::begin_of(const Passage& passage, std::uint32_t piece) {
  if (!passage.divided) return piece * passage.piece;
  if (passage.terms.stops_after < kNever)
    return piece == 0 ? 0 : piece == 1 ? passage.terms.stops_after : passage.bytes;
  if (passage.burst > 0 && piece-- == 0) return 0;
  return passage.burst + passage.piece * (piece < parts ? piece / double{parts} : piece - parts + 1.0);
}

double Passages::bytes_of(const Passage& passage, std::uint32_t piece) const {
  return std::min(begin_of(passage, piece + 1), passage.bytes) - begin_of(passage, piece);
}

/// 1 for a message that meets no other.
double Passages::weight(const Passage& passage) const {
  if (!passage.divided) return 1;
  const std::size_t leaving = leaving_[passage.links.front()].messages.size();
  return 1.0 /
         static_cast<double>(std::max<std::size_t>(1, leaving) + coming_[passage.links.back()].messages.size() - 1);
}

/// By how many were written to its node's link before and have not left it, as long as a piece is one of the first; of
/// those only as many as the queue in front of the link has room for.
/// They are counted, not told apart: a later one that leaves sooner counts for an earlier one.
double Passages::share_of_place(const Passage& passage) const {
  if (later_share_ == 1 || !passage.divided || begin_of(passage, passage.out.done) >= passage.burst + passage.piece)
    return 1;
  const std::uint64_t out = leaving_[passage.links.front()].out;
  const double room = std::min(most_ahead, std::ceil(queue_bytes_ / passage.bytes));
  double share = 1;
  for (std::uint64_t ahead = out; ahead < std::min(passage.place, out + static_cast<std::uint64_t>(room)); ++ahead)
    share *= later_share_;
  return share;
}

void Passages::go_on(TransferId id, SimTime now) {
  Passage& passage = passages_[id];
  const std::span<const platform::LinkId> links = passage.links;
  Way& out = passage.out;
  Way& on = passage.on;
  if (out.idle() && !passage.stopped && out.begun < passage.pieces && window_is_open(passage)) {
    const bool may_stall = passage.terms.may_stall && !passage.divided && out.begun == 0;
    flows_.start(flow_out(id), now, {}, bytes_of(passage, out.begun), links.first(passage.own_links), passage.bound,
                 may_stall, weight_out(passage));
    ++out.begun;
  }
  if (passage.divided && on.idle() && on.begun < out.begun) {
    flows_.start(flow_on(id), now, {}, bytes_of(passage, on.begun), links.subspan(passage.own_links), passage.bound,
                 passage.terms.may_stall && on.begun == 0, weight_on(passage));
    ++on.begun;
  }
}

bool Passages::window_is_open(const Passage& passage) {
  return !passage.divided ||
         begin_of(passage, passage.out.begun) < begin_of(passage, passage.on.done) + window * passage.piece;
}

double Passages::weight_out(const Passage& passage) const { return weight(passage) * share_of_place(passage); }

/// What came to the next queue at once stands there in front of all that comes later.
double Passages::weight_on(const Passage& passage) const {
  return passage.burst > 0 && passage.on.done == 0 ? at_once : weight(passage);
}

void Passages::come(Line& line, TransferId id, SimTime now) {
  line.messages.push_back(id);
  change(line, now);
}

void Passages::go(Line& line, TransferId id, SimTime now) {
  std::erase(line.messages, id);
  change(line, now);
}

void Passages::change(Line& line, SimTime now) {
  changed_at_ = now;
  if (!std::exchange(line.changed, true)) changed_.push_back(&line);
}

/// Gives the messages their weights whose links others came to or left, where these are few.
void Passages::reweigh() {
  for (Line* line : changed_) {
    line->changed = false;
    if (line->messages.size() > few) continue;
    for (const TransferId id : line->messages) {
      const Passage& passage = passages_[id];
      if (!passage.out.idle()) flows_.reweigh(flow_out(id), changed_at_, weight_out(passage));
      if (!passage.on.idle()) flows_.reweigh(flow_on(id), changed_at_, weight_on(passage));
    }
  }
  changed_.clear();
}

std::optional<SimTime> Passages::next_event() {
  reweigh();
  return flows_.next_event();
}

double Passages::remaining_bytes(TransferId id, SimTime now) const {
  const Passage& passage = passages_[id];
  if (!passage.divided) return flows_.remaining_bytes(flow_out(id), now);
  double bytes = passage.bytes - std::min(passage.bytes, begin_of(passage, passage.on.begun));
  if (!passage.on.idle()) bytes += flows_.remaining_bytes(flow_on(id), now);
  return bytes;
}

/// That have left their node.
double Passages::out_bytes(TransferId id, SimTime now) const {
  const Passage& passage = passages_[id];
  const double out = std::min(passage.bytes, begin_of(passage, passage.out.begun));
  return passage.out.idle() ? out : out - flows_.remaining_bytes(flow_out(id), now);
}

double Passages::leaving_bytes(TransferId id, SimTime now) const {
  return std::max(0.0, passages_[id].bytes - out_bytes(id, now));
}

double Passages::between_bytes(TransferId id, SimTime now) const {
  const Passage& passage = passages_[id];
  if (!passage.divided) return 0;
  return std::max(0.0, out_bytes(id, now) - (passage.bytes - remaining_bytes(id, now)));
}

void Passages::advance(SimTime now, Moved& moved) {
  for (std::vector<TransferId>* messages : {&moved.stopped, &moved.left, &moved.there}) messages->clear();
  ended_.clear();
  const std::optional<SimTime> next = next_event();
  if (!next || *next > now) return;
  flows_.advance(now, ended_);
  for (const TransferId flow : ended_) {
    const TransferId id = flow / 2;
    Passage& passage = passages_[id];
    Way& way = flow == flow_out(id) ? passage.out : passage.on;
    ++way.done;
    const bool has_left = passage.out.done == passage.pieces;
    const bool is_there = has_left && (!passage.divided || passage.on.done == passage.pieces);
    if (&way == &passage.out && !has_left && passage.terms.stops_after < kNever) {
      passage.stopped = true;
      ++leaving_[passage.links.front()].out;  // the others are before the rest
      moved.stopped.push_back(id);
    }
    if (&way == &passage.out && has_left) {
      moved.left.push_back(id);
      if (passage.divided) {
        Line& leaving = leaving_[passage.links.front()];
        if (!passage.terms.continues && passage.terms.stops_after == kNever) ++leaving.out;
        go(leaving, id, now);
      }
    }
    if (!is_there) {
      go_on(id, now);
      continue;
    }
    moved.there.push_back(id);
    if (passage.divided) go(coming_[passage.links.back()], id, now);
  }
}

}  // namespace orrery::transport
