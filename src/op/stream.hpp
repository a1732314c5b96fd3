// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "op/vocabulary.hpp"

namespace orrery::op {

/// What reading a stream gave.
enum class Pull : std::uint8_t {
  Ready,   ///< an operation
  NotYet,  ///< nothing yet: the rank is still computing; ask again after `wait`
  End,     ///< the stream is over (after Finalize, or a rank that does nothing more)
};

/// The streams of all ranks, as the kernel reads them. Live processes, traces and generators
/// implement it; the kernel cannot tell them apart.
class Streams {
 public:
  virtual ~Streams() = default;

  /// The next operation of `rank`; on Ready, `operation` and what its spans point to stay valid
  /// until the next call for the same rank.
  [[nodiscard]] virtual Pull next(WorldRank rank, Operation& operation) = 0;

  /// Whether what ranks do next is known as soon as their last operation is over: it depends on answers, but on nothing
  /// that others do meanwhile. Then `next` may be called before simulated time has come to where that rank is.
  [[nodiscard]] virtual bool known_ahead() const { return false; }

  /// Returns when `rank` may have something new, or after half a millisecond or so, in which others may have asked
  /// something; when the run is being ended it throws. Called only after NotYet.
  virtual void wait(WorldRank rank) = 0;

  /// Whether `next` would give an operation of `rank`, of which some thread waits for an answer.
  [[nodiscard]] virtual bool ready(WorldRank /*rank*/) { return false; }

  /// Returns when any rank may have something new, or when `longest_s` of the host's time have passed. Called only when
  /// threads of some rank wait for answers: then the others may go on, or wait for them outside of MPI.
  virtual void wait_for_any(double /*longest_s*/) {}

  /// Whether `rank` brings nothing because it computes. Asked after a wait that brought nothing.
  [[nodiscard]] virtual bool computes(WorldRank /*rank*/) { return false; }

  /// Whether `rank` brings nothing because it waits for something outside of the simulation, which another rank may
  /// have to bring about: a connection, a pipe. Asked after a wait that brought nothing; `wait` returns when it is so.
  [[nodiscard]] virtual bool waits_outside(WorldRank /*rank*/) { return false; }

  /// Whether `rank` computes, and has done so for a while: then `next` gives what it has computed by now as an
  /// operation of its own (Nothing), and the next real one brings so much less. Asked after a wait that brought
  /// nothing, when others could go on meanwhile: one may compute until it sees what another writes into memory that
  /// they share.
  [[nodiscard]] virtual bool computes_on(WorldRank /*rank*/) { return false; }

  /// Answers the last operation of `rank` that needed an answer. Traces ignore it.
  virtual void reply(WorldRank rank, const Reply& reply) = 0;

  /// An Accumulate or GetAccumulate of `origin` has arrived at its target: it takes effect after all for which this was
  /// called before, on the same target. `effect` is its `Operation::element`. Traces ignore it.
  virtual void take_effect(WorldRank /*origin*/, std::int64_t /*effect*/) {}
};

/// Whether simulated time may pass until it is over, so that only `Apart` do operations after it not wait for it.
[[nodiscard]] constexpr bool may_wait(const Operation& operation) {
  switch (operation.kind) {
    case Kind::WaitAll:
    case Kind::WaitAny:
    case Kind::WaitSome:
    case Kind::Probe:
    case Kind::Lock:
    case Kind::FileLock: return true;
    default: return operation.has(Blocking);
  }
}

/// Whether a thread waits in it (`Apart`, whose bit means something else in operations that do not wait).
[[nodiscard]] constexpr bool is_apart(const Operation& operation) {
  return operation.has(Apart) && may_wait(operation);
}

/// Whether it moves data to or from a target that takes no part.
[[nodiscard]] constexpr bool is_one_sided(Kind kind) {
  return kind == Kind::Put || kind == Kind::Get || kind == Kind::Accumulate || kind == Kind::GetAccumulate;
}

/// Whether it moves data to or from a file.
[[nodiscard]] constexpr bool is_file_access(Kind kind) { return kind == Kind::FileRead || kind == Kind::FileWrite; }

/// Whether the kernel answers the operation.
[[nodiscard]] constexpr bool wants_reply(const Operation& operation) {
  constexpr std::uint64_t always = kinds_answered(Answer::Always), matched = kinds_answered(Answer::IfMatched);
  const std::uint64_t kind = std::uint64_t{1} << static_cast<unsigned>(operation.kind);
  return (always & kind) != 0 || ((matched & kind) != 0 && operation.has(Blocking) && operation.has(WantsMatch));
}

}  // namespace orrery::op
