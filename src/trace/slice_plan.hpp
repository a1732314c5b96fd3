// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "trace/decoder.hpp"

namespace orrery::trace {

/// What is wanted of a trace: some ranks, some time. Operations count as done when they began.
struct Window {
  std::vector<std::uint32_t> ranks = {};  ///< in order; empty: all
  std::int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;

  [[nodiscard]] bool has(std::uint32_t rank) const;
  [[nodiscard]] bool has_time(std::int64_t ns) const { return ns >= from_ns && ns < to_ns; }
  [[nodiscard]] bool cuts_time() const { return from_ns != INT64_MIN || to_ns != INT64_MAX; }
};

/// Which messages and collective calls of a window can be kept: those of which all sides are inside. Messages between
/// the same ranks with the same communicator and tag do not overtake each other, so the n-th receive takes the n-th
/// send; receives of any source or tag took what they were answered.
///
/// Memory: 8 bytes for each message of the window on either side, one for each of the trace.
class SlicePlan {
 public:
  /// @throws InputError when time is cut and the trace does not say when anything happened
  SlicePlan(const File& file, const Window& window);

  /// Whether the `number`th send, receive or probe of a rank in the window is to be kept.
  [[nodiscard]] bool keeps(std::uint32_t rank, std::size_t number) const;
  [[nodiscard]] bool keeps_collective(const op::Operation& operation) const;
  /// Why the slice cannot be replayed; empty: it can.
  [[nodiscard]] const std::set<std::string>& obstacles() const { return obstacles_; }
  /// Whether an operation is one that `keeps` counts.
  [[nodiscard]] static bool is_counted(const op::Operation& operation);

 private:
  struct Message {
    std::uint32_t channel = UINT32_MAX, ordinal = 0;
  };
  struct Channel {
    std::uint32_t receives = 0;        ///< so far
    std::vector<std::uint8_t> inside;  ///< by ordinal: bit 0: its send is in the window, bit 1: its receive
  };
  struct Took {
    std::int32_t source, tag;
  };
  struct Rank {
    std::vector<Message> counted;        ///< in the window
    std::map<std::size_t, Took> chosen;  ///< by receive: what one of any source or tag took
    std::map<std::pair<std::int32_t, std::uint32_t>, Message> probed;  ///< by source and sequence: taken by a probe
  };
  using Key = std::tuple<std::int32_t, std::int32_t, op::CommId, std::int32_t>;  ///< from, to, communicator, tag

  void read_calls_and_sends(const File& file, const Window& window, std::uint32_t number);
  void read_choices(const File& file, const Window& window, std::uint32_t number);
  void read_receives(const File& file, const Window& window, std::uint32_t number);
  Message take(std::uint32_t number, std::size_t receive, class WindowReader& reader);
  Channel& channel(const Key& key, std::uint32_t& number);
  void note_obstacle(const op::Operation& operation);

  std::vector<Rank> ranks_;
  std::map<Key, std::uint32_t> numbers_;
  std::vector<Channel> channels_;
  std::map<std::pair<op::CommId, std::int32_t>, std::uint32_t> calls_;  ///< members inside, by communicator and call
  std::map<op::CommId, std::uint32_t> members_;
  std::set<std::string> obstacles_;
};

/// Operations of a rank with what each of them was answered and whether it is in the window.
class WindowReader {
 public:
  WindowReader(const File& file, const Window& window, std::uint32_t rank) : decoder_(file, rank), window_(&window) {}

  /// False at the end. What the decoder's operation refers to stays valid until the next call.
  bool next();
  [[nodiscard]] const op::Operation& operation() const { return decoder_.operation(); }
  [[nodiscard]] const Decoder& decoder() const { return decoder_; }
  [[nodiscard]] const std::optional<op::Reply>& answer() const { return answer_; }
  [[nodiscard]] bool inside() const { return inside_; }
  [[nodiscard]] bool timed() const { return timed_; }  ///< the rank has said of something when it was
  [[nodiscard]] bool cut_off() const { return decoder_.cut_off(); }

 private:
  Decoder decoder_;
  const Window* window_;
  bool inside_ = false, timed_ = false;
  std::optional<op::Reply> answer_;
};

}  // namespace orrery::trace
