// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "op/stream.hpp"
#include "trace/decoder.hpp"

namespace orrery::trace {

/// The streams of a trace, for the kernel.
///
/// What a program did next was decided by the answers that it got. So where an answer steered it, the replay has to end
/// up with the same answer, at whatever time that is now (docs/design/traces.md):
/// - A test that was false asks again, and whatever it learns, consumes nothing.
/// - A test that was true asks for just the requests that were complete then; if they are not, it waits for them.
/// - WaitAny and WaitSome wait for the requests that were complete then.
/// - Receives of any source take what comes first now, or, as `Match::Recorded` has it, what they took then. So do
///   probes; a receive of a message that a probe took gets the one that it has taken now.
/// - What comes after the answer of a thread comes after it now.
/// On the platform of the recording all of it happens at the same times as then, to the last bit.
class Replay final : public op::Streams {
 public:
  enum class Match : std::uint8_t { Again, Recorded };

  explicit Replay(const File& file, Match match = Match::Again);

  [[nodiscard]] op::Pull next(WorldRank rank, op::Operation& operation) override;
  /// @throws InputError always: nothing that a trace waits for comes from outside
  void wait(WorldRank rank) override;
  [[nodiscard]] bool ready(WorldRank rank) override;
  /// @throws InputError when it is asked again and again while nothing happens
  void wait_for_any(double longest_s) override;
  void reply(WorldRank rank, const op::Reply& reply) override;

  /// What the last operation of `rank` was answered when it was recorded.
  [[nodiscard]] const op::Reply& recorded(std::int32_t rank) const { return ranks_[index(rank)].recorded; }
  /// What served the last operation of `rank`, a collective, then: number in the trace's table of algorithms.
  [[nodiscard]] std::uint32_t algorithm(std::int32_t rank) const { return ranks_[index(rank)].decoder.beside().ran; }
  /// Ranks whose streams ended because the file was cut off or damaged there.
  [[nodiscard]] std::uint32_t cut_off() const { return cut_off_; }
  /// Operations given so far.
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  /// A message that a probe took: which one it was, and which one it is now.
  struct Taken {
    std::int32_t source_then, source_now;
    std::uint32_t sequence_then, sequence_now;
  };
  /// What only few ranks need.
  struct Seldom {
    std::vector<Taken> taken;
    std::vector<std::uint32_t> threads_answered;  ///< numbers, once for each answer that has not been used
    std::uint32_t blocked_on = 0;                 ///< thread whose answer comes next in the stream
  };
  struct Rank {
    explicit Rank(const File& file, std::uint32_t rank) : decoder(file, rank) {}
    Decoder decoder;
    op::Reply recorded;                   ///< answer to the last operation, then
    std::vector<op::RequestId> requests;  ///< of the last operation, where they differ from those recorded
    op::Operation instead;                ///< comes next if the answer is no
    bool wants_yes = false;               ///< `instead` does if the answer is no
    bool insists = false;                 ///< it does
    bool takes = false;                   ///< the last operation was a probe that takes its message
  };

  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  Seldom& seldom(std::int32_t rank) { return seldom_[rank]; }
  bool read_answer(std::int32_t number);
  [[nodiscard]] op::Reply answer_of_thread(const Rank& rank, std::uint32_t thread);
  [[nodiscard]] static op::Reply match_of(const Rank& rank, op::RequestId request);
  void prepare(std::int32_t number, op::Operation& operation);
  void only_completed(Rank& rank, op::Operation& operation, op::Kind kind);
  void prepare_test(Rank& rank, op::Operation& operation, bool answered);
  void prepare_probe(Rank& rank, op::Operation& operation, bool answered);
  void prepare_receive(std::int32_t number, op::Operation& operation, bool answered);

  Match match_;
  std::vector<Rank> ranks_;
  std::unordered_map<std::int32_t, Seldom> seldom_;
  std::vector<std::uint32_t> completed_;  ///< of an answer that was looked up
  std::uint32_t cut_off_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t idle_ = 0;  ///< calls of wait_for_any since something happened
};

}  // namespace orrery::trace
