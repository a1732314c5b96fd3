// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "op/stream.hpp"
#include "trace/request_numbers.hpp"
#include "trace/writer.h"

namespace orrery::trace {

/// The calls of a captured rank whose threads call MPI at the same time, as one stream (docs/design/threads.md).
///
/// The capture library writes each call when it is over, with the number of its thread. Replayed in that
/// order, two ranks can wait for each other for ever: what a thread waits for may be what another one of its rank does
/// meanwhile. So what a call starts comes here when it began, and what it learns when it ended. An operation in which
/// its thread waits is marked `Apart` and comes when the call began; its thread is answered when it ended, and what
/// comes behind that comes behind it in a replay. What is no call's first operation is of the call before.
///
/// Only the end of a call with several waits (MPI_Win_fence) is known: all but the first begin there.
///
/// Memory: about 300 bytes for each operation until `write`.
class ThreadCalls {
 public:
  /// What its lists point to is copied.
  void operation(const orrery_trace_record& record);
  /// To the operation before.
  void answer(const orrery_trace_answer& answer);
  void write(orrery_trace_stream* to);

 private:
  struct Item {
    orrery_trace_record record;
    RequestNumbers::Name request = 0, in_tag = 0;
    std::vector<RequestNumbers::Name> requests = {};
    std::vector<std::int64_t> counts = {};
    bool answered = false;
    orrery_trace_answer answer = {};
    std::vector<std::uint32_t> completed = {};

    [[nodiscard]] bool waits() const;
    [[nodiscard]] bool learns() const;
  };
  struct Call {
    std::uint32_t thread = 1;
    std::int64_t begin_ns = 0, end_ns = 0;
    std::vector<Item> items = {};
    std::size_t written = 0;  ///< of `items`
  };

  void begin_after(RequestNumbers::Name request, Call& call);
  void begin(Call& call, orrery_trace_stream* to);
  void end(Call& call, orrery_trace_stream* to);
  void write(Item& item, std::uint32_t thread, orrery_trace_stream* to);
  void answer_thread(Item& item, std::uint32_t thread, orrery_trace_stream* to);
  void over(const Item& item);

  std::vector<Call> calls_;
  RequestNumbers numbers_;
  std::vector<std::int64_t> started_ns_;  ///< by the names of requests, less one: when the call began that had it first
  std::int64_t last_ns_ = 0;  ///< when any call began or ended last: computation before that has been counted
};

}  // namespace orrery::trace
