// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "collective/default_rules.hpp"
#include "collective/dynamic_rules.hpp"
#include "collective/fixed.hpp"
#include "collective/limits.hpp"
#include "collective/mpich_rules.hpp"
#include "collective/named_rules.hpp"
#include "collective/openmpi_classic_rules.hpp"
#include "collective/openmpi_rules.hpp"

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

/// One line of the table: the algorithm serves calls below both limits. `bytes_below` refers to the whole vector that
/// all ranks share: p blocks for allgather(v) and reduce_scatter_block, one block for alltoall.
struct DefaultRule {
  CollectiveKind kind;
  std::string_view algorithm;
  std::int64_t bytes_below = any_bytes;
  int size_below = any_size;
  int size_from = 1;
  bool element_per_rank = false;  ///< only if there are at least as many elements as ranks
};

/// The default selector, in reading order: the first line that fits decides.
///
/// Short messages take few steps (trees, recursive doubling, Bruck), long ones send each byte few times (scatter and
/// allgather, Rabenseifner, rings, pairwise). The limits are those of the paper, which are MPICH's: 12 KiB and 8 ranks
/// for bcast, 2 KiB for reduce and allreduce, 80 KiB and 512 KiB in total for allgather, 256 bytes and 32 KiB per block
/// for alltoall, 512 KiB for reduce-scatter. Kinds whose counts only some ranks know have one line. The last lines of
/// each kind are for inter-communicators, again as in MPICH: below 2 KiB in all, a gather or scatter makes one message
/// between the groups of them.
constexpr auto default_rules = std::to_array<DefaultRule>({
    {.kind = Barrier, .algorithm = "dissemination"},
    {.kind = Barrier, .algorithm = "inter_bcast"},
    {.kind = Bcast, .algorithm = "binomial_halving", .bytes_below = 12 * KiB},
    {.kind = Bcast, .algorithm = "binomial_halving", .size_below = 8},
    {.kind = Bcast, .algorithm = "scatter_allgather_ring"},
    {.kind = Bcast, .algorithm = "remote_send_local_bcast"},
    {.kind = Reduce, .algorithm = "binomial", .bytes_below = 2 * KiB + 1},
    {.kind = Reduce, .algorithm = "reduce_scatter_gather", .element_per_rank = true},
    {.kind = Reduce, .algorithm = "binomial"},
    {.kind = Reduce, .algorithm = "local_reduce_remote_send"},
    {.kind = Allreduce, .algorithm = "recursive_doubling", .bytes_below = 2 * KiB + 1},
    {.kind = Allreduce, .algorithm = "reduce_scatter_allgather", .element_per_rank = true},
    {.kind = Allreduce, .algorithm = "recursive_doubling"},
    {.kind = Allreduce, .algorithm = "reduce_exchange_bcast"},
    {.kind = ReduceScatter, .algorithm = "recursive_halving", .bytes_below = 512 * KiB},
    {.kind = ReduceScatter, .algorithm = "pairwise"},
    {.kind = ReduceScatter, .algorithm = "reduce_scatterv"},
    {.kind = ReduceScatter, .algorithm = "remote_reduce_local_scatter"},
    {.kind = ReduceScatterBlock, .algorithm = "recursive_halving", .bytes_below = 512 * KiB},
    {.kind = ReduceScatterBlock, .algorithm = "pairwise"},
    {.kind = ReduceScatterBlock, .algorithm = "reduce_scatterv"},
    {.kind = ReduceScatterBlock, .algorithm = "remote_reduce_local_scatter"},
    {.kind = Scan, .algorithm = "recursive_doubling"},
    {.kind = Exscan, .algorithm = "recursive_doubling"},
    {.kind = Gather, .algorithm = "binomial"},
    {.kind = Gather, .algorithm = "local_gather_remote_send", .bytes_below = 2 * KiB},
    {.kind = Gather, .algorithm = "inter_linear"},
    {.kind = Gatherv, .algorithm = "linear"},
    {.kind = Gatherv, .algorithm = "inter_linear"},
    {.kind = Scatter, .algorithm = "binomial"},
    {.kind = Scatter, .algorithm = "remote_send_local_scatter", .bytes_below = 2 * KiB},
    {.kind = Scatter, .algorithm = "inter_linear"},
    {.kind = Scatterv, .algorithm = "linear"},
    {.kind = Scatterv, .algorithm = "inter_linear"},
    {.kind = Allgather, .algorithm = "recursive_doubling", .bytes_below = 512 * KiB},
    {.kind = Allgather, .algorithm = "bruck", .bytes_below = 80 * KiB},
    {.kind = Allgather, .algorithm = "ring"},
    {.kind = Allgather, .algorithm = "local_gather_remote_bcast"},
    {.kind = Allgatherv, .algorithm = "bruck", .bytes_below = 80 * KiB},
    {.kind = Allgatherv, .algorithm = "ring"},
    {.kind = Allgatherv, .algorithm = "remote_gather_local_bcast"},
    {.kind = Alltoall, .algorithm = "bruck", .bytes_below = 256 + 1, .size_from = 8},
    {.kind = Alltoall, .algorithm = "linear", .bytes_below = 32 * KiB + 1},
    {.kind = Alltoall, .algorithm = "pairwise"},
    {.kind = Alltoall, .algorithm = "pairwise_exchange"},
    {.kind = Alltoallv, .algorithm = "linear"},
    {.kind = Alltoallv, .algorithm = "pairwise_exchange"},
    {.kind = Alltoallw, .algorithm = "linear"},
    {.kind = Alltoallw, .algorithm = "pairwise_exchange"},
    {.kind = NeighborAllgather, .algorithm = "linear"},
    {.kind = NeighborAllgatherv, .algorithm = "linear"},
    {.kind = NeighborAlltoall, .algorithm = "linear"},
    {.kind = NeighborAlltoallv, .algorithm = "linear"},
    {.kind = NeighborAlltoallw, .algorithm = "linear"},
    {.kind = NewComm, .algorithm = "number"},
    {.kind = NewComm, .algorithm = "inter_number"},
});

/// `shared_bytes` of inter-communicators: what crosses from one group to the other, where there is a choice.
std::int64_t inter_bytes(const Call& call) {
  if (call.kind != Gather && call.kind != Scatter) return call.bytes.count;
  // Those of the root's group that have no part do not know it, and need not.
  return call.bytes.count * (call.root == op::root_here ? call.remote_size : call.size);
}

/// What `DefaultRule::bytes_below` is compared with; the same on all ranks of a call.
std::int64_t shared_bytes(const Call& call) {
  if (call.remote_size > 0) return inter_bytes(call);
  switch (call.kind) {
    case Allgather:
    case ReduceScatterBlock: return call.bytes.count * call.size;
    case Allgatherv: return std::accumulate(call.counts.begin(), call.counts.end(), std::int64_t{0});
    default: return call.bytes.count;
  }
}

bool fits_default(const DefaultRule& rule, const Call& call, std::int64_t bytes) {
  if (rule.kind != call.kind || bytes >= rule.bytes_below) return false;
  if (call.size < rule.size_from || call.size >= rule.size_below) return false;
  return !rule.element_per_rank || bytes / call.element >= call.size;
}

/// MPICH's device looks at blocking calls first, where nodes are known.
bool asks_device(const Call& call) { return call.places != nullptr && !call.immediate; }
Choice composition(const Call& call) { return asks_device(call) ? mpich_composition(call) : Choice{}; }

/// Where the choice comes from that the user has not made.
struct Source {
  std::string_view name;
  Choice (*choose)(const Call&);
  Choice (*of_rules)(Choice) = [](Choice choice) { return choice; };  ///< what it makes of a rule of the user's
  Choice (*before_rules)(const Call&) = [](const Call&) { return Choice{}; };
  bool places = false;  ///< it looks at nodes
};
constexpr auto sources = std::to_array<Source>({
    {.name = "default", .choose = default_choice},
    {.name = "mpich-4.0", .choose = mpich_4_0_choice, .before_rules = composition, .places = true},
    {.name = "mpich-5.0", .choose = mpich_5_0_choice, .before_rules = composition, .places = true},
    {.name = "openmpi-1.3", .choose = openmpi_1_3_choice},
    {.name = "openmpi-1.6", .choose = openmpi_1_6_choice},
    {.name = "openmpi-4.1", .choose = openmpi_choice},
    {.name = "openmpi-5.0",
     .choose = openmpi5_choice,
     .of_rules = as_openmpi5,
     .before_rules = han_choice,
     .places = true},
});

/// Asks one after the other who may decide about a call, and keeps what was asked for in vain.
class Deciding {
 public:
  explicit Deciding(const Call& call) : call_(call) {}

  /// Whether this choice serves the call.
  bool by(Decider who, Choice next) {
    const bool asked = who != Decider::Selector;
    if (asked && next.by == Decider::Rules) rules_ = true;
    if (asked && missed_.algorithm.empty()) missed_ = next.instead_of;
    if (next.algorithm == nullptr) return false;
    const std::string_view why = next.algorithm->refusal(next.applied_to(call_));
    if (!why.empty()) {
      if (asked && missed_.algorithm.empty()) missed_ = {.algorithm = next.algorithm->name, .why = why, .by = who};
      return false;
    }
    choice_ = next;
    choice_.by = rules_ && !asked ? Decider::Rules : who;
    choice_.instead_of = missed_;
    choice_ = after_hand_overs(choice_, call_);
    return true;
  }

  [[nodiscard]] const Choice& choice() const { return choice_; }

 private:
  const Call& call_;
  Choice choice_;
  Unserved missed_;
  bool rules_ = false;  ///< a rule fits the call, even if it leaves it to the selector
};

class SourceSelector final : public Selector {
 public:
  SourceSelector(const Source& source, std::string_view fixed, std::vector<DynamicRules> rules, const MpichRules* mpich,
                 std::vector<NamedRule> named)
      : source_(source), fixed_(parse_fixed(fixed)), rules_(std::move(rules)), named_(std::move(named)) {
    if (mpich != nullptr) mpich_ = *mpich;
    name_ = fixed.empty() ? source.name : concat(source.name, " (", fixed, ")");
  }

  [[nodiscard]] Choice choose(const Call& call) const override {
    if (call.counts.size() < counts_needed(call)) refuse(call);
    Deciding deciding(call);
    // Rules files of Open MPI's and of ours are for blocking calls. Libraries leave calls that need no messages, and
    // inter-communicators, to code of their own.
    const bool one_group = call.remote_size == 0;
    const bool ruled = one_group && !call.immediate;
    const bool decided =
        deciding.by(Decider::Fixed, fixed_[static_cast<std::size_t>(call.kind)]) ||
        (ruled && deciding.by(Decider::Rules, choice_by(named_, call))) ||
        (one_group && composes() && asks_device(call) && deciding.by(Decider::Rules, mpich_->choose(call))) ||
        (one_group && !composes() && deciding.by(Decider::Selector, source_.before_rules(call))) ||
        (ruled && deciding.by(Decider::Rules, source_.of_rules(dynamic_choice(rules_, call)))) ||
        (one_group && mpich_ && !composes() && deciding.by(Decider::Rules, mpich_->choose(call))) ||
        (one_group && deciding.by(Decider::Selector, source_.choose(call))) ||
        deciding.by(Decider::Selector, default_choice(call));
    if (!decided) refuse(call);
    Choice choice = deciding.choice();
    choice.parts = this;
    return choice;
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] bool needs_places() const override {
    const auto looks = [](const Choice& choice) { return choice.algorithm != nullptr && choice.algorithm->topology; };
    return source_.places || mpich_ || std::ranges::any_of(fixed_, looks) ||
           std::ranges::any_of(named_, looks, &NamedRule::choice) ||
           std::ranges::any_of(rules_, [](const DynamicRules& rules) { return rules.ranks != RankDistribution::Any; });
  }

  [[nodiscard]] std::vector<CollectiveKind> asked(Decider by) const override {
    std::vector<CollectiveKind> kinds;
    for (int number = 0; number < op::collective_kinds; ++number) {
      const auto kind = static_cast<CollectiveKind>(number);
      const bool has = by == Decider::Fixed ? fixed_[static_cast<std::size_t>(kind)].algorithm != nullptr
                                            : by == Decider::Rules && has_rules(kind);
      if (has) kinds.push_back(kind);
    }
    return kinds;
  }

 private:
  [[nodiscard]] bool composes() const { return mpich_ && mpich_->composes(); }
  [[nodiscard]] bool has_rules(CollectiveKind kind) const {
    return std::ranges::any_of(named_, [kind](const NamedRule& rule) { return rule.kind == kind; }) ||
           std::ranges::any_of(rules_, [kind](const DynamicRules& rules) { return rules.kind == kind; }) ||
           (mpich_ && mpich_->has(kind));
  }

  [[noreturn]] static void refuse(const Call& call) {
    throw InputError(concat("rank ", call.self, " calls ", collective::name(call.kind), " on ", call.size,
                            " ranks with ", call.counts.size(), " counts; it needs ", counts_needed(call)));
  }

  const Source& source_;
  FixedChoices fixed_;
  std::vector<DynamicRules> rules_;
  std::optional<MpichRules> mpich_;
  std::vector<NamedRule> named_;
  std::string name_;
};

}  // namespace

Choice default_choice(const Call& call) {
  const std::int64_t bytes = shared_bytes(call);
  for (const DefaultRule& rule : default_rules) {
    if (!fits_default(rule, call, bytes)) continue;
    const Algorithm* algorithm = find(rule.kind, rule.algorithm);
    if (algorithm->accepts(call)) return {.algorithm = algorithm};
  }
  return {};
}

std::vector<std::string> selector_names() {
  std::vector<std::string> names;
  for (const Source& source : sources) names.emplace_back(source.name);
  return names;
}

std::unique_ptr<Selector> make_selector(std::string_view name, std::string_view fixed, std::vector<DynamicRules> rules,
                                        const MpichRules* mpich, std::vector<NamedRule> named) {
  std::string names;
  for (const Source& source : sources) {
    if (source.name == name)
      return std::make_unique<SourceSelector>(source, fixed, std::move(rules), mpich, std::move(named));
    names += concat(names.empty() ? "" : ", ", source.name);
  }
  throw InputError(concat("no selector is named \"", name, "\"; there are: ", names));
}

std::unique_ptr<Selector> make_selector(std::string_view name, std::string_view fixed, std::vector<DynamicRules> rules,
                                        const MpichRules* mpich) {
  return make_selector(name, fixed, std::move(rules), mpich, std::vector<NamedRule>{});
}

}  // namespace orrery::collective
