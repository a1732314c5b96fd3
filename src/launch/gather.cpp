// SPDX-License-Identifier: BSD-3-Clause
#include "launch/gather.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "base/error.hpp"

namespace orrery::launch {
namespace {

constexpr std::size_t read_bytes = 64 * 1024;  // what a pipe holds
constexpr int idle_ms = 100;                   // after which the beginning of a line is shown
constexpr std::uint64_t finish_key = UINT64_MAX;

void watch(int poller, int number, std::uint64_t key) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = key}};
  epoll_ctl(poller, EPOLL_CTL_ADD, number, &event);
}

}  // namespace

Gather::Gather(std::uint32_t ranks, Pipes pipes, Deliver deliver, std::function<void()> failed)
    : pipes_(pipes),
      label_(pipes == Pipes::Labelled),
      tracebacks_([this](std::string_view text) { this->deliver(-1, true, text); }),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      deliver_(std::move(deliver)),
      failed_(std::move(failed)),
      buffer_(read_bytes) {
  const std::uint32_t pairs = label_ ? ranks : 1;
  allow_open_files(4 * pairs + 16, label_ ? "labelled output" : "output");
  for (std::uint32_t i = 0; i < pairs; ++i) add_pair(label_ ? static_cast<std::int32_t>(i) : -1);
  if (pipes_ == Pipes::OwnErrors) add_own_errors(ranks);
  thread_ = std::thread([this] { run(); });
}

void Gather::add(std::int32_t rank, bool error_stream) {
  Pair pipe = make_pipe();
  const int reader = pipe.near.number();
  const std::lock_guard lock(mutex_);
  const auto unit = label_ ? Lines::Unit::Line : Lines::Unit::Block;
  streams_.push_back({std::move(pipe.near), std::move(pipe.far), rank, error_stream, Lines(unit)});
  watch(poller_.number(), reader, streams_.size() - 1);
}

void Gather::add_pair(std::int32_t rank) {
  add(rank, false);
  add(rank, true);
}

/// A convenience, which ends no run whose limit of open files is low: the start of ranks needs some, too.
void Gather::add_own_errors(std::uint32_t ranks) {
  try {
    allow_open_files(4 * ranks + 16, "errors of each rank");
    for (std::uint32_t rank = 0; rank < ranks; ++rank) add(static_cast<std::int32_t>(rank), true);
  } catch (const InputError&) {
    pipes_ = Pipes::Shared;
  }
}

Gather::Places Gather::places_of(std::uint32_t rank) const {
  switch (pipes_) {
    case Pipes::Labelled: return {2 * rank, 2 * rank + 1};
    case Pipes::OwnErrors: return {0, 2 + rank};
    case Pipes::Shared: break;
  }
  return {0, 1};
}

std::vector<Handed> Gather::handed(Places places) const {
  return {{streams_[places.output].writer.number(), STDOUT_FILENO},
          {streams_[places.errors].writer.number(), STDERR_FILENO}};
}

std::size_t Gather::streams() const {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

Gather::Stream& Gather::stream(std::size_t i) {
  const std::lock_guard lock(mutex_);
  return streams_[i];
}

Gather::~Gather() {
  finish_.raise();
  if (thread_.joinable()) thread_.join();
}

std::vector<Handed> Gather::for_rank(std::uint32_t rank) const { return handed(places_of(rank)); }

std::vector<Handed> Gather::for_new_rank(std::uint32_t rank) {
  if (!label_) return handed({0, 1});
  allow_open_files(8, "labelled output");  // two pipes, and what starting a process needs
  add_pair(static_cast<std::int32_t>(rank));
  const std::lock_guard lock(mutex_);
  return handed({streams_.size() - 2, streams_.size() - 1});
}

std::vector<Handed> Gather::for_template(int first) const {
  std::vector<Handed> handed = for_rank(0);
  if (!label_) return handed;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    handed.push_back({streams_[i].writer.number(), first + static_cast<int>(i)});
  }
  return handed;
}

void Gather::close_writers() {
  const std::lock_guard lock(mutex_);
  for (Stream& stream : streams_) {
    if (stream.rank >= 0) stream.writer.reset();  // to the others ranks write that are started later
  }
}

void Gather::finish() {
  finish_.raise();
  if (thread_.joinable()) thread_.join();
  if (error_) std::rethrow_exception(error_);
}

void Gather::run() {
  watch(poller_.number(), finish_.number(), finish_key);
  read_while_open();
  read_what_is_left();
}

int Gather::timeout_ms(bool beginnings) const {
  int wait = beginnings && !label_ ? idle_ms : -1;
  if (const auto due = tracebacks_.due()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - std::chrono::steady_clock::now()).count();
    const int until_due = static_cast<int>(std::max<std::int64_t>(left, 0));
    wait = wait < 0 ? until_due : std::min(wait, until_due);
  }
  return wait;
}

void Gather::read_while_open() {
  std::array<epoll_event, 64> events;
  bool beginnings = false;
  for (;;) {
    const int count = epoll_wait(poller_.number(), events.data(), events.size(), timeout_ms(beginnings));
    if (count < 0 && errno != EINTR) return;
    if (count == 0) hand_over_beginnings();
    beginnings = count > 0;
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == finish_key) return;
      Stream& stream = this->stream(events[i].data.u64);
      if (read_once(stream) == Read::End) epoll_ctl(poller_.number(), EPOLL_CTL_DEL, stream.reader.number(), nullptr);
    }
    tracebacks_.deliver_due(std::chrono::steady_clock::now());
  }
}

void Gather::read_what_is_left() {
  for (Stream& stream : streams_) {
    while (read_once(stream) == Read::Text) {
    }
  }
  hand_over_beginnings();
  tracebacks_.finish();
}

Gather::Read Gather::read_once(Stream& stream) {
  const ssize_t count = read(stream.reader.number(), buffer_.data(), buffer_.size());
  if (count < 0) return Read::Nothing;
  if (count == 0) return Read::End;
  stream.lines.feed({buffer_.data(), static_cast<std::size_t>(count)},
                    [&](std::string_view text) { take(stream, text); });
  return Read::Text;
}

void Gather::hand_over_beginnings() {
  for (std::size_t i = 0, count = streams(); i < count; ++i) {
    Stream& stream = this->stream(i);
    stream.lines.flush([&](std::string_view text) { take(stream, text); });
  }
}

void Gather::take(const Stream& stream, std::string_view text) {
  if (label_ || stream.rank < 0) return deliver(stream.rank, stream.error_stream, text);
  tracebacks_.feed(stream.rank, text, std::chrono::steady_clock::now());
}

void Gather::deliver(std::int32_t rank, bool error_stream, std::string_view text) {
  if (error_) return;
  try {
    deliver_(rank, error_stream, text);
  } catch (...) {
    error_ = std::current_exception();
    failed_();
  }
}

}  // namespace orrery::launch
