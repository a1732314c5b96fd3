// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timeline/timeline.hpp"
#include "trace/decoder.hpp"

namespace orrery::timeline {

/// An operation of a call, and what it was answered.
struct Step {
  op::Kind kind;
  op::Mode mode;
  op::CollectiveKind collective;
  std::uint8_t flags;
  std::uint16_t pair;  ///< of partitioned messages: Operation::algorithm
  std::int32_t peer, tag;
  op::CommId comm;
  op::RequestId request;
  std::int64_t bytes, element;
  std::uint64_t number;                                               ///< in the stream of the rank
  std::uint32_t first_request, requests, first_completed, completed;  ///< places in Call::numbers
  bool apart = false;                                                 ///< a thread waits in it
  bool answered = false, yes = false;
  std::int32_t source = op::any_source, answered_tag = op::any_tag;
  std::uint32_t sequence = 0;

  [[nodiscard]] bool has(op::Flag flag) const { return (flags & flag) != 0; }
};

/// Operations that begin and end together.
struct Call {
  std::int64_t begin_ns = 0, end_ns = 0, bytes = 0;
  op::CommId comm = 0;
  std::uint32_t site = 0;  ///< in the file's table of call sites; 0: not known
  std::uint16_t routine = 0, ran = 0;
  State state = State::Compute;
  bool first = false;  ///< a call of the program begins with it
  bool timed = false;  ///< the trace says when it was
  std::vector<Step> steps;
  std::vector<std::uint32_t> numbers;

  [[nodiscard]] std::span<const std::uint32_t> requests(const Step& step) const {
    return std::span(numbers).subspan(step.first_request, step.requests);
  }
  [[nodiscard]] std::span<const std::uint32_t> completed(const Step& step) const {
    return std::span(numbers).subspan(step.first_completed, step.completed);
  }
};

/// States of routines whose names say more than their operations.
class States {
 public:
  explicit States(const trace::File& file);
  [[nodiscard]] State of(const op::Operation& operation) const;

 private:
  std::vector<State> by_routine_;  ///< Other: the operation says it
};

/// The calls of one rank, in the order of time. Operations without times of their own belong to the one before, as do
/// those of the same call with the same times, which is how other tools' traces have them; so does the question what a
/// receive has taken, as its answer is of interest when the wait for it ends.
class Calls {
 public:
  Calls(const trace::File& file, const States& states, std::uint32_t rank);

  /// False at the end.
  bool next();
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  [[nodiscard]] bool cut_off() const { return decoder_.cut_off(); }

 private:
  void advance();
  [[nodiscard]] bool belongs() const;
  void begin();
  void add();
  void answer();

  trace::Decoder decoder_;
  const States* states_;
  trace::Decoder::What what_;
  std::uint64_t operations_ = 0;
  std::int64_t last_end_ns_ = 0;
  std::int64_t said_begin_ns_ = -1, said_end_ns_ = -1;  ///< of the present call, as the trace has them
  Call call_;
};

/// When the last operation of the trace ends, from the last blocks of its streams; -1: it has no times.
[[nodiscard]] std::int64_t end_of(const trace::File& file);

}  // namespace orrery::timeline
