// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "launch/descriptor.hpp"
#include "launch/lines.hpp"
#include "launch/spawn.hpp"
#include "launch/tracebacks.hpp"

namespace orrery::launch {

/// Reads what the ranks print and hands it over, on a thread of its own.
///
/// It reads only as fast as `deliver` takes: when that waits, the pipes fill and the ranks wait, so memory is bounded.
/// With labels each rank has its own two pipes and each call is one line; otherwise all share two and a call has as
/// many whole lines as there are, or the beginning of one (a prompt) after which nothing came for a while. Where ranks
/// are started afresh, each has a pipe of its own for its errors, if the system gives that many: tracebacks of several
/// ranks are then not mixed, and those that are equal are delivered once (Tracebacks).
class Gather {
 public:
  using Deliver = std::function<void(std::int32_t rank, bool error_stream, std::string_view text)>;

  /// Whose pipes ranks write to.
  enum class Pipes {
    Shared,     ///< all ranks to two
    OwnErrors,  ///< each its errors to one of its own, if the system gives that many
    Labelled,   ///< each to two of its own
  };

  /// @param failed called from the thread when `deliver` has thrown; later output is dropped
  /// @throws InputError when so many pipes cannot be had
  Gather(std::uint32_t ranks, Pipes pipes, Deliver deliver, std::function<void()> failed);
  ~Gather();  ///< as `finish`, but keeps the exception

  /// For a process that runs as `rank`: its standard output and standard error.
  [[nodiscard]] std::vector<Handed> for_rank(std::uint32_t rank) const;

  /// For a process that forks the ranks: with labels, pipes of all ranks under the numbers `first` + 2 · rank (output)
  /// and `first` + 2 · rank + 1 (error); what the process prints before goes to those of rank 0.
  [[nodiscard]] std::vector<Handed> for_template(int first) const;

  /// For a process that is started later as `rank`; one thread at a time may ask: with labels it gets pipes of its own.
  /// @throws InputError when these cannot be had
  [[nodiscard]] std::vector<Handed> for_new_rank(std::uint32_t rank);

  /// Those that write have been started. With labels the ends of ranks' output can be seen after that.
  void close_writers();

  /// All writers are dead: delivers what is left in the pipes and returns. @throws what `deliver` threw
  void finish();

 private:
  struct Stream {
    Descriptor reader, writer;
    std::int32_t rank;  ///< -1: of all ranks
    bool error_stream;
    Lines lines;
  };
  struct Places {  ///< in `streams_`
    std::size_t output, errors;
  };

  void run();
  void add(std::int32_t rank, bool error_stream);
  void add_pair(std::int32_t rank);
  void add_own_errors(std::uint32_t ranks);
  [[nodiscard]] Places places_of(std::uint32_t rank) const;
  [[nodiscard]] std::vector<Handed> handed(Places places) const;
  [[nodiscard]] Stream& stream(std::size_t i);
  [[nodiscard]] std::size_t streams() const;
  [[nodiscard]] int timeout_ms(bool beginnings) const;
  void read_while_open();
  void read_what_is_left();
  enum class Read { Text, Nothing, End };
  Read read_once(Stream& stream);
  void hand_over_beginnings();
  void take(const Stream& stream, std::string_view text);
  void deliver(std::int32_t rank, bool error_stream, std::string_view text);

  mutable std::mutex mutex_;  ///< for `streams_` as a list; a stream in it stays where it is
  /// With labels 2 per rank, else 2 that all share, and if `pipes_` says so the errors of each rank.
  std::deque<Stream> streams_;
  Pipes pipes_;
  bool label_;
  Tracebacks tracebacks_;
  Descriptor poller_;
  Deliver deliver_;
  std::function<void()> failed_;
  Event finish_;
  std::exception_ptr error_;
  std::vector<char> buffer_;
  std::thread thread_;
};

}  // namespace orrery::launch
