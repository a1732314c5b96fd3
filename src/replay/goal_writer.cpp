// SPDX-License-Identifier: BSD-3-Clause
#include "replay/goal_writer.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "collective/call_of.hpp"
#include "collective/shared_elements.hpp"
#include "op/sleep.hpp"
#include "op/vocabulary.hpp"
#include "replay/goal_graph.hpp"
#include "trace/goal/schedule.hpp"

namespace orrery::replay {
namespace {

/// Numbers for what tells messages apart: a communicator and a tag, or a part of a collective call.
class Tags {
 public:
  std::uint32_t of_message(op::CommId comm, std::int32_t tag) {
    if (comm == 0 && tag >= 0 && static_cast<std::uint32_t>(tag) < first_) return static_cast<std::uint32_t>(tag);
    return number({comm, tag, message});
  }
  std::uint32_t of_call(op::CommId comm, std::int32_t tag, std::int32_t part) { return number({comm, tag, part}); }

 private:
  using Key = std::tuple<op::CommId, std::int32_t, std::int32_t>;
  static constexpr std::int32_t message = -1;
  std::uint32_t number(const Key& key) {
    return numbers_.try_emplace(key, first_ + static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  static constexpr std::uint32_t first_ = 1u << 30;  ///< programs hardly use tags from here on
  std::map<Key, std::uint32_t> numbers_;
};

/// The stream of one rank on its way into its graph.
class RankWriter {
  using Kind = op::Kind;

 public:
  RankWriter(Source& source, computation::Charge charge, const collective::Selector& selector,
             kernel::AlgorithmUses& uses, Tags& tags, collective::SharedElements& elements, std::int32_t rank)
      : source_(source),
        charge_(charge),
        selector_(selector),
        uses_(uses),
        tags_(tags),
        elements_(elements),
        rank_(rank),
        own_(graph_) {}

  /// @param lost is told what cannot be said; @param replaced what is said otherwise, and how
  template <class Lost, class Replaced>
  trace::goal::Draft write(Lost&& lost, Replaced&& replaced) {
    op::Operation operation;
    while (source_.next(WorldRank{rank_}, operation) == op::Pull::Ready) {
      const double steady_s = steady_.charge(operation);
      own_.compute(charge_ == computation::Charge::Steady ? steady_s : operation.compute_s);
      if (const Unsaid unsaid = take(operation); unsaid.instead != nullptr) {
        replaced(unsaid.what, unsaid.instead);
      } else if (unsaid.what != nullptr) {
        lost(unsaid.what);
      }
      if (!op::wants_reply(operation) && !op::is_apart(operation)) continue;
      op::Reply reply{.flag = !operation.has(op::Peek)};
      if (op::is_apart(operation)) reply.thread = operation.request;
      source_.reply(WorldRank{rank_}, reply);
    }
    return std::move(graph_).take();
  }

 private:
  /// What of an operation a schedule cannot say.
  struct Unsaid {
    const char* what = nullptr;     ///< null: everything is said
    const char* instead = nullptr;  ///< null: it is not written at all
  };

  Unsaid take(const op::Operation& operation) {
    if (op::is_apart(operation)) return {"a call in which one of several threads waits"};
    switch (operation.kind) {
      case Kind::Isend:
      case Kind::Irecv: message(operation); return {};
      case Kind::WaitAll: own_.wait(operation.requests); return {};
      case Kind::WaitAny:
      case Kind::WaitSome: return wait_for_some(operation);
      case Kind::TestAll:
      case Kind::TestAny:
      case Kind::TestSome: return test(operation);
      case Kind::Join: own_.join(operation.request, operation.requests); return {};
      case Kind::Sleep: own_.compute(op::length_of(operation).s); return {};
      case Kind::Collective: collective(operation); return {};
      case Kind::Probe:
      case Kind::Iprobe: return {"probes", "a schedule has only messages; their receives are there"};
      case Kind::Lock:
      case Kind::Unlock: return {"a lock of a window"};
      case Kind::Psend:
      case Kind::Precv: return {"a partitioned message"};
      case Kind::Service: return {"a request for more ranks"};
      default: return unsaid(op::entry_of(operation.kind).group);
    }
  }

  static Unsaid unsaid(op::Group group) {
    switch (group) {
      case op::Group::Phase: return {"begins and ends of phases", "a schedule has only messages and computation"};
      case op::Group::OneSided: return {"one-sided communication"};
      case op::Group::File: return {"access to a file"};
      default: return {};  // takes no time on the network
    }
  }

  Unsaid wait_for_some(const op::Operation& operation) {
    own_.wait(operation.requests);
    if (operation.requests.size() < 2) return {};
    return {"waits for any or some of several requests", "written as waits for all of them"};
  }

  Unsaid test(const op::Operation& operation) {
    if (operation.has(op::Peek)) return {};
    own_.wait(operation.requests);
    return {"tests of requests", "written as waits for them"};
  }

  void message(const op::Operation& operation) {
    const std::uint32_t tag =
        operation.tag == op::any_tag ? trace::goal::any : tags_.of_message(operation.comm, operation.tag);
    own_.message(operation, static_cast<std::uint32_t>(operation.peer), tag);
  }

  void collective(const op::Operation& operation) {
    const auto members = source_.members(operation.comm);
    std::optional<collective::OwnCall> own =
        collective::call_of(operation, members, source_.first_group(operation.comm), rank_);
    if (!own) throw InputError(concat("rank ", rank_, ": a collective on a communicator that it is not in"));
    const std::uint64_t number = std::uint64_t{operation.comm} << 32 | static_cast<std::uint32_t>(operation.tag);
    const std::size_t position = own->first_member + static_cast<std::size_t>(own->call.self);
    elements_.agree(number, position, members.size(), own->call);
    const collective::Choice choice = selector_.choose(own->call);
    if (choice.algorithm->topology)
      throw InputError(concat(choice.algorithm->name, " needs to know where ranks are, which a schedule does not say"));
    ++uses_[uses_.find(operation.routine, choice)].calls;
    GoalThread steps = own_.branch();
    op::Script script = choice.algorithm->stream(choice.applied_to(own->call));
    while (const op::Operation* const step = script.next()) {
      if (step->kind == Kind::Isend || step->kind == Kind::Irecv) {
        const std::size_t peer = (own->first_member + static_cast<std::size_t>(step->peer)) % members.size();
        const std::uint32_t tag = tags_.of_call(operation.comm, operation.tag, step->tag);
        steps.message(*step, static_cast<std::uint32_t>(members[peer]), tag);
      } else if (step->kind == Kind::WaitAll || step->kind == Kind::WaitSome) {
        steps.wait(step->requests);
      } else if (step->kind == Kind::WaitAny) {
        steps.wait(first_of(*step));
      }
    }
    if (operation.has(op::Blocking)) {
      own_.follow(steps);
    } else {
      own_.open(operation.request, steps);
    }
  }

  /// An algorithm goes on after whichever is over; a graph that does not know the time takes the first that is open.
  static std::span<const op::RequestId> first_of(const op::Operation& wait) {
    const auto open = std::find_if(wait.requests.begin(), wait.requests.end(), [](auto id) { return id != 0; });
    const auto position = static_cast<std::size_t>(open - wait.requests.begin());
    if (position == wait.requests.size()) return {};
    if (wait.position != nullptr) *wait.position = static_cast<std::uint32_t>(position);
    return wait.requests.subspan(position, 1);
  }

  Source& source_;
  computation::Charge charge_;
  computation::RankCharge steady_;
  const collective::Selector& selector_;
  kernel::AlgorithmUses& uses_;
  Tags& tags_;
  collective::SharedElements& elements_;
  std::int32_t rank_;
  GoalGraph graph_;
  GoalThread own_;
};

}  // namespace

GoalWritten write_goal(Source& source, computation::Charge charge, const collective::Selector& selector,
                       kernel::AlgorithmUses& uses, bool lossy) {
  if (source.capacity() != source.ranks()) throw InputError("a GOAL schedule cannot start ranks, as this trace does");
  GoalWritten written;
  Tags tags;
  collective::SharedElements elements;
  trace::goal::BinaryWriter writer(source.ranks());
  const auto note = [&written](const char* what, const char* why) {
    GoalWritten::Omission& omission = written.left_out[what];
    omission.why = why;
    ++omission.times;
  };
  for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
    const auto lost = [&](const char* what) {
      if (!lossy)
        throw InputError(
            concat("rank ", rank, ": ", what, " cannot be said in a GOAL schedule; --lossy leaves it out"));
      note(what, "a schedule has only messages and computation");
    };
    writer.add(
        RankWriter(source, charge, selector, uses, tags, elements, static_cast<std::int32_t>(rank)).write(lost, note));
  }
  written.schedule = writer.take();
  return written;
}

}  // namespace orrery::replay
