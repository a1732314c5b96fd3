// SPDX-License-Identifier: BSD-3-Clause
#include "trace/thread_calls.hpp"

#include <algorithm>
#include <tuple>

namespace orrery::trace {
namespace {

/// As much of it as decides how it is written.
op::Operation operation_of(const orrery_trace_record& record) {
  return {
      .kind = static_cast<op::Kind>(record.kind), .flags = record.flags, .tag = record.tag, .request = record.request};
}

}  // namespace

bool ThreadCalls::Item::waits() const { return op::may_wait(operation_of(record)); }

/// What it says was so when its call ended, and may not have been before.
bool ThreadCalls::Item::learns() const {
  switch (static_cast<op::Kind>(record.kind)) {
    case op::Kind::TestAll:
    case op::Kind::TestAny:
    case op::Kind::TestSome:
    case op::Kind::Iprobe:
    case op::Kind::Arrived:
    case op::Kind::Match: return true;
    default: return false;
  }
}

void ThreadCalls::operation(const orrery_trace_record& record) {
  if (calls_.empty() || record.begin_ns >= 0) {
    const std::int64_t begin_ns = std::max<std::int64_t>(record.begin_ns, 0);
    calls_.push_back({.thread = std::max<std::uint32_t>(record.thread, 1),
                      .begin_ns = begin_ns,
                      .end_ns = std::max(record.end_ns, begin_ns)});
  }
  Item& item = calls_.back().items.emplace_back(Item{.record = record});
  item.record.thread = 0;
  item.requests.assign(record.requests, record.requests + record.requests_length);
  item.counts.assign(record.counts, record.counts + record.counts_length);
  const op::Operation operation = operation_of(record);
  item.request = numbers_.named(operation);
  item.in_tag = numbers_.named_in_tag(operation);
  numbers_.name(operation.kind, item.requests);
  begin_after(item.request, calls_.back());
  begin_after(item.in_tag, calls_.back());
  for (const RequestNumbers::Name name : item.requests) begin_after(name, calls_.back());
}

/// A thread that was held up between the beginning of its wait and the library's look at the handle may have been
/// given the request that another one started meanwhile, when both had the same handle.
void ThreadCalls::begin_after(RequestNumbers::Name request, Call& call) {
  if (request == 0) return;
  if (request > started_ns_.size()) started_ns_.resize(request, call.begin_ns);
  call.begin_ns = std::max(call.begin_ns, started_ns_[request - 1]);
  call.end_ns = std::max(call.end_ns, call.begin_ns);
}

void ThreadCalls::answer(const orrery_trace_answer& answer) {
  if (calls_.empty()) return;
  Item& item = calls_.back().items.back();
  item.answer = answer;
  item.answered = true;
  item.completed.assign(answer.completed, answer.completed + answer.completed_length);
}

void ThreadCalls::over(const Item& item) {
  numbers_.used(item.request);
  numbers_.used(item.in_tag);
  for (const RequestNumbers::Name name : item.requests) numbers_.used(name);
}

void ThreadCalls::write(Item& item, std::uint32_t thread, orrery_trace_stream* to) {
  orrery_trace_record& record = item.record;
  std::vector<std::uint32_t> requests;
  for (const RequestNumbers::Name name : item.requests) requests.push_back(numbers_.number(name));
  record.requests = requests.data();
  record.counts = item.counts.data();
  record.request = numbers_.number(item.request);
  if (item.in_tag != 0) record.tag = static_cast<std::int32_t>(numbers_.number(item.in_tag));
  if (item.waits()) {
    record.flags |= op::Apart;
    record.request = thread;
  }
  orrery_trace_operation(to, &record);
  if (item.waits()) return;
  if (item.answered) answer_thread(item, 0, to);
  over(item);
}

void ThreadCalls::answer_thread(Item& item, std::uint32_t thread, orrery_trace_stream* to) {
  if (!item.answered) item.answer = {.flag = 1, .source = op::any_source, .tag = op::any_tag};
  item.answer.completed = item.completed.data();
  item.answer.thread = thread;
  orrery_trace_answered(to, &item.answer);
}

/// Up to the first wait, or to what is only known when the call is over.
void ThreadCalls::begin(Call& call, orrery_trace_stream* to) {
  double& compute_s = call.items[0].record.compute_s;
  compute_s = std::clamp(static_cast<double>(call.begin_ns - last_ns_) * 1e-9, 0.0, std::max(compute_s, 0.0));
  while (call.written < call.items.size() && !call.items[call.written].learns()) {
    Item& item = call.items[call.written++];
    write(item, call.thread, to);
    if (item.waits()) return;
  }
}

void ThreadCalls::end(Call& call, orrery_trace_stream* to) {
  const auto answer_last = [&] {
    if (call.written == 0) return;
    Item& last = call.items[call.written - 1];
    if (!last.waits()) return;
    answer_thread(last, call.thread, to);
    over(last);
  };
  answer_last();
  while (call.written < call.items.size()) {
    write(call.items[call.written++], call.thread, to);
    answer_last();
  }
}

void ThreadCalls::write(orrery_trace_stream* to) {
  struct Event {
    std::int64_t when_ns;
    std::size_t call;  ///< at the same time in the order in which they were captured, so that threads keep theirs
    bool is_end;
  };
  std::vector<Event> events;
  events.reserve(2 * calls_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    events.push_back({calls_[i].begin_ns, i, false});
    events.push_back({calls_[i].end_ns, i, true});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.when_ns, a.call, a.is_end) < std::tie(b.when_ns, b.call, b.is_end);
  });
  for (const Event& event : events) {
    Call& call = calls_[event.call];
    if (event.is_end) {
      end(call, to);
    } else {
      begin(call, to);
    }
    last_ns_ = event.when_ns;
  }
}

}  // namespace orrery::trace
