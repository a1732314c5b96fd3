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

namespace orrery::launch {

/// Reads what the ranks print and hands it over, on a thread of its own.
///
/// It reads only as fast as `deliver` takes: when that waits, the pipes fill and the ranks wait, so memory is bounded.
/// With labels each rank has its own two pipes and each call is one line; otherwise all share two and a call has as
/// many whole lines as there are, or the beginning of one (a prompt) after which nothing came for a while.
class Gather {
 public:
  using Deliver = std::function<void(std::int32_t rank, bool error_stream, std::string_view text)>;

  /// @param failed called from the thread when `deliver` has thrown; later output is dropped
  /// @throws InputError when so many pipes cannot be had
  Gather(std::uint32_t ranks, bool label, Deliver deliver, std::function<void()> failed);
  ~Gather();  ///< as `finish`, but keeps the exception

  /// For a process that runs as `rank`: its standard output and standard error.
  [[nodiscard]] std::vector<Handed> for_rank(std::uint32_t rank) const;

  /// For a process that forks the ranks: with labels, pipes of all ranks under the numbers `first` + 2 · rank (output)
  /// and `first` + 2 · rank + 1 (error); what the process prints before goes to those of rank 0.
  [[nodiscard]] std::vector<Handed> for_template(int first) const;

  /// The same for one that is started later; one thread at a time may ask: with labels it gets pipes of its own.
  /// @throws InputError when these cannot be had
  [[nodiscard]] std::vector<Handed> for_new_rank(std::uint32_t rank);

  /// Those that write have been started. With labels the ends of ranks' output can be seen after that.
  void close_writers();

  /// All writers are dead: delivers what is left in the pipes and returns. @throws what `deliver` threw
  void finish();

 private:
  struct Stream {
    Descriptor reader, writer;
    std::int32_t rank;
    bool error_stream;
    Lines lines;
  };

  void run();
  void add_pair(std::int32_t rank);
  [[nodiscard]] Stream& stream(std::size_t i);
  void read_while_open();
  void read_what_is_left();
  enum class Read { Text, Nothing, End };
  Read read_once(Stream& stream);
  void hand_over_beginnings();
  void deliver(const Stream& stream, std::string_view text);

  std::mutex mutex_;            ///< for `streams_` as a list; a stream in it stays where it is
  std::deque<Stream> streams_;  ///< 2 per rank with labels, else 2
  bool label_;
  Descriptor poller_;
  Deliver deliver_;
  std::function<void()> failed_;
  Event finish_;
  std::exception_ptr error_;
  std::vector<char> buffer_;
  std::thread thread_;
};

}  // namespace orrery::launch
