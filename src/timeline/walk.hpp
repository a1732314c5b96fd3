// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timeline/calls.hpp"
#include "timeline/gatherings.hpp"
#include "timeline/lineage.hpp"
#include "timeline/matching.hpp"
#include "timeline/open_requests.hpp"
#include "timeline/order.hpp"

namespace orrery::timeline {

/// Who is told what happens.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Calls of MPI; of each rank in the order of time.
  virtual void interval(const Interval& interval) = 0;
  virtual void message(const Message& message) = 0;
  /// States of a rank come one behind the other, from its first operation to its last.
  virtual void state(std::uint32_t /*rank*/, State /*state*/, std::int64_t /*begin_ns*/, std::int64_t /*end_ns*/) {}
  virtual void wait(const Wait& /*wait*/) {}
};

/// A walk through all ranks of a trace in the order of time: what begins at a time comes before what ends at that time.
class Walk {
 public:
  Walk(const trace::File& file, Listener& listener);
  /// @throws Interrupted when `stop` becomes true
  void run(const std::atomic<bool>* stop = nullptr);

  /// After the run: sums, and what is not known.
  void describe(Timeline& timeline) const;
  /// Where the rank was that ended last; only after a run.
  [[nodiscard]] std::vector<Lineage::Stay> critical_path() const;
  [[nodiscard]] std::uint64_t joined() const { return lineage_.joined(); }

 private:
  using Open = OpenRequests::Open;
  struct Rank {
    Rank(const trace::File& file, const States& states, std::uint32_t rank) : calls(file, states, rank) {}

    Calls calls;
    bool inside = false, over = false;
    Lineage::Place place = Lineage::nowhere;
    std::int64_t last_end_ns = 0;
    std::vector<Matching::Number> begun;      ///< by step of the call: its side; none
    std::vector<Matching::Number> undecided;  ///< receives of any source or tag, and those posted behind them
    OpenRequests open;
    std::map<std::pair<std::int32_t, std::uint32_t>, Matching::Number> taken;  ///< by probes; by source and sequence
    std::unordered_map<op::RequestId, Matching::Number> partitioned;           ///< sends under way
    Interval pending{};                                                        ///< may be continued by the next call
    std::int64_t longest_ns = -1;                                              ///< of its parts; -1: there is none
  };
  /// For whom a call was blocked longest.
  struct Blame {
    std::int64_t until_ns = -1;
    std::uint32_t by = 0;
    Cause cause = Cause::LateSender;
    Lineage::Place place = Lineage::nowhere;
  };

  void schedule(std::uint32_t number);
  void begin(std::uint32_t number);
  void end(std::uint32_t number);

  Matching::Number begin_step(std::uint32_t number, const Step& step, std::int64_t ns);
  /// The side of a send, which holds the rank's place.
  Matching::Side sent_side(std::uint32_t number, const Step& step, std::int64_t ns);
  Matching::Number send(std::uint32_t number, const Step& step, std::int64_t ns);
  Matching::Number send_part(std::uint32_t number, const Step& step, std::int64_t ns);
  Matching::Number receive(std::uint32_t number, const Step& step, std::int64_t ns);
  void join(Rank& rank, const Call& call, const Step& step);

  void end_step(std::uint32_t number, std::size_t step);
  void probed(std::uint32_t number, const Step& step);
  void cancel(Rank& rank, std::span<const std::uint32_t> requests);
  void complete(std::uint32_t number, op::RequestId request, bool waits);
  void complete_side(std::uint32_t number, Matching::Number side, bool waits);
  void leave(std::uint32_t number, Gatherings::Key key, bool waits);
  void tell(Matching::Number receive);
  [[nodiscard]] bool waits_for_receive(const Matching::Side& send) const;
  void learn_eager(const Matching::Side& send);
  void decide(Rank& rank, Matching::Number receive);
  void match(std::uint32_t number, const Step& step);
  void blame(std::int64_t until_ns, std::uint32_t by, Cause cause, Lineage::Place place);
  void settle(std::uint32_t number);
  void show(std::uint32_t number);
  void flush(Rank& rank);

  const trace::File& file_;
  Listener& listener_;
  States states_;
  Lineage lineage_;
  Matching matching_;
  Gatherings gatherings_;
  std::vector<Rank> ranks_;
  Order order_;
  Blame blame_;
  std::uint64_t completing_ = 0;   ///< operation that is at its end
  std::int64_t eager_bytes_ = -1;  ///< messages up to this size were seen not to wait for their receives
  std::int64_t end_ns_ = 0;
  std::uint32_t last_ = 0;  ///< rank that ends last
  std::uint64_t messages_ = 0, calls_ = 0, threads_ = 0;
};

}  // namespace orrery::timeline
