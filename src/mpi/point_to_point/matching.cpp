// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/matching.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

bool accepts_tag(int wanted, int tag) { return wanted == any_tag || wanted == tag; }

bool accepts_source(std::int32_t wanted, std::int32_t source) { return wanted == any_source || wanted == source; }

/// Whether two receives could take the same message.
bool compete(const Receive& receive, op::CommId comm, std::int32_t source, int tag) {
  return receive.comm == comm && (accepts_source(receive.source, source) || source == any_source) &&
         (accepts_tag(receive.tag, tag) || tag == any_tag);
}

}  // namespace

void Receives::append(Receive& receive) {
  queue_.append(receive);
  receive.list = this;
}

void Receives::remove(Receive& receive) {
  queue_.remove(receive);
  receive.list = nullptr;
}

Receive* Receives::first_for(int tag) {
  return queue_.first_of_tag(tag, [](const Receive& a, const Receive& b) { return a.order < b.order; });
}

MatchingQueues::Lane& MatchingQueues::lane(op::CommId comm, std::int32_t source) {
  return lanes_[std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(source)];
}

bool MatchingQueues::kernel_chooses(op::CommId comm, std::int32_t source, int tag) const {
  if (source == any_source) return true;
  for (const Receive* earlier = undecided_.first(); earlier != nullptr; earlier = earlier->next) {
    if (compete(*earlier, comm, source, tag)) return true;
  }
  return false;
}

void MatchingQueues::post(Receive& receive) {
  receive.order = posted_++;
  match(lane(receive.comm, receive.source), receive);
}

/// The first message that fits, or a place at the end of the queue.
void MatchingQueues::match(Lane& lane, Receive& receive) {
  Kept* kept = lane.unexpected.first_of_tag(receive.tag);
  if (kept == nullptr) return lane.posted.append(receive);
  const Kept::Owner message = lane.unexpected.remove(*kept);
  deliver(receive, message->head, message->payload());
  lane.matched.append(receive);
}

void MatchingQueues::post_undecided(Receive& receive) {
  receive.order = posted_++;
  undecided_.append(receive);
}

bool MatchingQueues::decide(Receive& receive, std::int32_t source, std::uint32_t sequence) {
  const Kept::Owner message = take(receive.comm, source, sequence);
  if (message == nullptr) return false;
  receive.list->remove(receive);
  deliver(receive, message->head, message->payload());
  return true;
}

void MatchingQueues::forget(Receive& receive) {
  if (receive.list != nullptr) receive.list->remove(receive);
}

void MatchingQueues::arrived(const channel::Message& record) {
  Lane& here = lane(record.comm, record.source);
  if (Receive* receive = here.posted.first_for(record.tag)) {
    here.posted.remove(*receive);
    deliver(*receive, record, inline_payload(record));
    return here.matched.append(*receive);
  }
  here.unexpected.append(Kept::copy_of(record));
  has_unfetched_ |= record.form == channel::Form::Pull;
}

void MatchingQueues::fetch_ahead() {
  for (auto& [key, lane] : lanes_) lane.unexpected.for_each([&](Kept& kept) { payloads_.fetch_ahead(kept); });
  has_unfetched_ = false;
}

Kept* MatchingQueues::find(op::CommId comm, std::int32_t source, std::uint32_t sequence) {
  return lane(comm, source).unexpected.find([&](const channel::Message& head) { return head.sequence == sequence; });
}

Kept::Owner MatchingQueues::take(op::CommId comm, std::int32_t source, std::uint32_t sequence) {
  Kept* kept = find(comm, source, sequence);
  return kept == nullptr ? nullptr : lane(comm, source).unexpected.remove(*kept);
}

void MatchingQueues::deliver(Receive& receive, const channel::Message& head, const std::byte* inline_bytes) {
  payloads_.fetch(head, inline_bytes, receive.into);
  receive.matched_source = head.source;
  receive.matched_tag = head.tag;
  receive.sequence = head.sequence;
  receive.bytes = head.bytes;
  receive.done = true;
}

void MatchingQueues::withdraw(Receive& receive) {
  Receives* list = receive.list;
  if (list != nullptr) list->remove(receive);
  if (list == nullptr || list == &undecided_ || !receive.done) return;
  // All that were matched or stand in line behind it choose again, in their order.
  Lane& here = lane(receive.comm, receive.source);
  std::vector<Receive*> later;
  for (Receives* queue : {&here.matched, &here.posted}) {
    for (Receive* other = queue->first(); other != nullptr; other = other->next) {
      if (other->order > receive.order) later.push_back(other);
    }
  }
  std::sort(later.begin(), later.end(), [](const Receive* a, const Receive* b) { return a->order < b->order; });
  take_back(here, receive);
  for (Receive* other : later) {
    other->list->remove(*other);
    if (other->done) take_back(here, *other);
  }
  for (Receive* other : later) match(here, *other);
}

/// Makes a receive's data a message again.
void MatchingQueues::take_back(Lane& lane, Receive& receive) {
  channel::Message head{};
  head.source = receive.matched_source;
  head.comm = receive.comm;
  head.tag = receive.matched_tag;
  head.sequence = receive.sequence;
  head.bytes = std::min(receive.bytes, receive.into.bytes());
  Kept::Owner message = Kept::with_payload(head, receive.into.bytes());
  receive.into.pack_into(message->payload());
  lane.unexpected.insert_by_sequence(std::move(message));
  receive.done = false;
}

}  // namespace orrery::mpi
