// SPDX-License-Identifier: BSD-3-Clause
#include "launch/gather.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

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

Gather::Gather(std::uint32_t ranks, bool label, Deliver deliver, std::function<void()> failed)
    : label_(label),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      deliver_(std::move(deliver)),
      failed_(std::move(failed)),
      buffer_(read_bytes) {
  const std::uint32_t pairs = label ? ranks : 1;
  allow_open_files(4 * pairs + 16, label ? "labelled output" : "output");
  for (std::uint32_t i = 0; i < pairs; ++i) add_pair(label ? static_cast<std::int32_t>(i) : -1);
  thread_ = std::thread([this] { run(); });
}

void Gather::add_pair(std::int32_t rank) {
  for (const bool error_stream : {false, true}) {
    Pair pipe = make_pipe();
    const int reader = pipe.near.number();
    const std::lock_guard lock(mutex_);
    const auto unit = label_ ? Lines::Unit::Line : Lines::Unit::Block;
    streams_.push_back({std::move(pipe.near), std::move(pipe.far), rank, error_stream, Lines(unit)});
    watch(poller_.number(), reader, streams_.size() - 1);
  }
}

Gather::Stream& Gather::stream(std::size_t i) {
  const std::lock_guard lock(mutex_);
  return streams_[i];
}

Gather::~Gather() {
  finish_.raise();
  if (thread_.joinable()) thread_.join();
}

std::vector<Handed> Gather::for_rank(std::uint32_t rank) const {
  const std::size_t first = label_ ? 2 * rank : 0;
  return {{streams_[first].writer.number(), STDOUT_FILENO}, {streams_[first + 1].writer.number(), STDERR_FILENO}};
}

std::vector<Handed> Gather::for_new_rank(std::uint32_t rank) {
  if (!label_) return for_rank(0);
  allow_open_files(8, "labelled output");  // two pipes, and what starting a process needs
  add_pair(static_cast<std::int32_t>(rank));
  const std::lock_guard lock(mutex_);
  const std::size_t first = streams_.size() - 2;
  return {{streams_[first].writer.number(), STDOUT_FILENO}, {streams_[first + 1].writer.number(), STDERR_FILENO}};
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
  if (!label_) return;  // ranks that are started later write to the same
  const std::lock_guard lock(mutex_);
  for (Stream& stream : streams_) stream.writer.reset();
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

void Gather::read_while_open() {
  std::array<epoll_event, 64> events;
  bool beginnings = false;
  for (;;) {
    const int count = epoll_wait(poller_.number(), events.data(), events.size(), beginnings && !label_ ? idle_ms : -1);
    if (count < 0 && errno != EINTR) return;
    if (count == 0) hand_over_beginnings();
    beginnings = count > 0;
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == finish_key) return;
      Stream& stream = this->stream(events[i].data.u64);
      if (read_once(stream) == Read::End) epoll_ctl(poller_.number(), EPOLL_CTL_DEL, stream.reader.number(), nullptr);
    }
  }
}

void Gather::read_what_is_left() {
  for (Stream& stream : streams_) {
    while (read_once(stream) == Read::Text) {
    }
  }
  for (Stream& stream : streams_) stream.lines.flush([&](std::string_view text) { deliver(stream, text); });
}

Gather::Read Gather::read_once(Stream& stream) {
  const ssize_t count = read(stream.reader.number(), buffer_.data(), buffer_.size());
  if (count < 0) return Read::Nothing;
  if (count == 0) return Read::End;
  stream.lines.feed({buffer_.data(), static_cast<std::size_t>(count)},
                    [&](std::string_view text) { deliver(stream, text); });
  return Read::Text;
}

void Gather::hand_over_beginnings() {
  for (Stream& stream : streams_) stream.lines.flush([&](std::string_view text) { deliver(stream, text); });
}

void Gather::deliver(const Stream& stream, std::string_view text) {
  if (error_) return;
  try {
    deliver_(stream.rank, stream.error_stream, text);
  } catch (...) {
    error_ = std::current_exception();
    failed_();
  }
}

}  // namespace orrery::launch
