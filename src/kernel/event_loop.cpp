// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/event_loop.hpp"

#include <algorithm>

namespace orrery::kernel {
namespace {

/// Events are handled in well under a microsecond each, so that counters are as new as a human can see.
constexpr std::uint64_t events_between_reports = 1024;

}  // namespace

EventLoop::EventLoop(Components& components, Progress& progress)
    : c_(components), scheduler_(components), progress_(progress) {}

void EventLoop::run() {
  do {
    stop_if_interrupted();  // each time: the network may take long over a single instant
    handle_due();
  } while (hear_parked() || go_on());
  report_progress();
}

void EventLoop::handle_due() {
  while (is_due()) {
    const Event event = c_.clock.queue.pop();
    ++events_;
    if (events_ >= next_report_) report_progress();
    handle(event);
  }
}

void EventLoop::handle(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::Release: return c_.requests.complete(RequestIndex{event.subject});
    case Event::Kind::Envelope: return c_.delivery.envelope_arrived(MessageIndex{event.subject});
    case Event::Kind::OneSided: return one_sided_arrived(OneSidedIndex{event.subject});
    case Event::Kind::Cursor: return scheduler_.visit(CursorIndex{event.subject});
    case Event::Kind::Rest: return c_.turns.fall_asleep(CursorIndex{event.subject});
  }
}

void EventLoop::one_sided_arrived(OneSidedIndex operation) {
  const op::Kind kind = c_.one_sided.pool()[operation].kind;
  if (kind == op::Kind::Lock || kind == op::Kind::Unlock) return c_.locks.arrived(operation);
  c_.one_sided.finish(operation);
}

/// @return whether there is more to do at this instant
bool EventLoop::hear_parked() {
  if (c_.threads.parked.empty()) return false;
  scheduler_.hear_parked();
  return is_due();
}

/// To the next instant, or to what begins and ends at this one. @return false: nothing happens any more
bool EventLoop::go_on() {
  scheduler_.go_ahead();
  const std::optional<SimTime> transfer = c_.transport.next_event();
  const std::optional<SimTime> access = c_.files.next_event();
  if (access && (!transfer || *access < *transfer) && comes_first(access)) {
    end_accesses(*access);
  } else if (comes_first(transfer)) {
    advance_transport(*transfer);
  } else if (!c_.clock.queue.empty()) {
    c_.turns.go_to(c_.clock.queue.top().time);
  } else {
    if (c_.threads.parked.empty()) return false;
    report_progress();
    scheduler_.wait_for_threads();
  }
  return true;
}

/// Whether something outside of the event queue happens not after what is in there.
bool EventLoop::comes_first(std::optional<SimTime> time) const {
  return time && (c_.clock.queue.empty() || *time <= c_.clock.queue.top().time);
}

void EventLoop::end_accesses(SimTime time) {
  c_.turns.go_to(std::max(c_.clock.now, time));
  events_ += c_.files.advance(time);
}

void EventLoop::advance_transport(SimTime time) {
  c_.turns.go_to(std::max(c_.clock.now, time));
  ended_.clear();
  c_.transport.advance(time, ended_);
  events_ += ended_.size();
  released_.clear();
  c_.transport.take_released(released_);
  for (const sharing::TransferId id : released_) c_.delivery.release_sender(MessageIndex{id});
  for (const sharing::TransferId id : ended_) transfer_ended(MessageIndex{id});
}

void EventLoop::transfer_ended(MessageIndex message) {
  c_.handling.end_frames(c_.messages[message]);
  const OneSidedIndex operation = c_.messages[message].one_sided;
  if (operation == none) return c_.delivery.transfer_ended(message);
  c_.messages.give_back(message);
  c_.one_sided.leg_ended(operation);
}

void EventLoop::report_progress() {
  next_report_ = events_ + events_between_reports;
  progress_.now_s.store(c_.clock.now.s, std::memory_order_relaxed);
  progress_.messages.store(c_.messages.sent(), std::memory_order_relaxed);
  progress_.bytes.store(static_cast<std::uint64_t>(c_.messages.bytes().count), std::memory_order_relaxed);
  progress_.ranks_alive.store(c_.cursors.alive(), std::memory_order_relaxed);
  stop_if_interrupted();
}

void EventLoop::stop_if_interrupted() const {
  const std::atomic<bool>* interrupt = c_.config.interrupt;
  if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) throw Interrupted{};
}

}  // namespace orrery::kernel
