// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/calls.hpp"
#include "timeline/timeline.hpp"

/// All that happened, however much it is: for files in other formats.
namespace orrery::timeline {

/// A call of a routine, as far as its operations follow each other without time between them; or a sleep outside of
/// MPI.
struct Event {
  std::int64_t begin_ns, end_ns;
  std::int64_t bytes;
  std::uint64_t number;    ///< of its first operation, in the stream of its rank
  std::uint64_t behind;    ///< of the first operation after it
  std::int32_t peer, tag;  ///< of its first operation, as are communicator, algorithm and kinds
  std::uint32_t comm;
  std::uint32_t site;     ///< in the file's table of call sites; 0: not known
  std::uint16_t routine;  ///< in the file's table of routines; 0: a sleep
  std::uint16_t ran;      ///< algorithm of a collective, in the file's table of algorithms; 0: not known
  op::Kind kind;
  op::CollectiveKind collective;
};

/// The events of one rank in the order of time: each begins where the one before ends, or later.
class Events {
 public:
  Events(const trace::File& file, std::uint32_t rank)
      : states_(file), calls_(file, states_, rank), is_there_(calls_.next()) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// The next ones, at most so many; none: it is over.
  [[nodiscard]] std::vector<Event> next(std::size_t most);

 private:
  /// Whether the present call of `calls_` is a part of `event`.
  [[nodiscard]] bool continues(const Event& event) const;

  States states_;
  Calls calls_;
  bool is_there_;  ///< `calls_` has a present call
};

/// The order in which messages are given; those that nothing tells apart are the same.
void sort_by_begin(std::vector<Message>& messages);

/// All waits, by rank and begin. Memory: 32 bytes for each.
/// @throws InputError when the trace does not say when anything happened   @throws Interrupted
[[nodiscard]] std::vector<Wait> waits(const trace::File& file, const std::atomic<bool>* stop = nullptr);

/// All messages, by begin. Memory: 72 bytes for each.
/// @throws InputError when the trace does not say when anything happened   @throws Interrupted
[[nodiscard]] std::vector<Message> messages(const trace::File& file, const std::atomic<bool>* stop = nullptr);

}  // namespace orrery::timeline
