// SPDX-License-Identifier: BSD-3-Clause
#include "collective/mpich_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.hpp"

namespace orrery::collective {
namespace {

constexpr int indent = 2;

template <class... Args>
[[noreturn]] void refuse(int number, const Args&... what) {
  throw InputError(concat("line ", number, ": ", what...));
}

/// The part before the first separator, which is removed from the text with it.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// Without the kind of communicator that a name begins with in MPICH's trees.
std::string_view without_kind(std::string_view name) {
  for (const std::string_view kind : {"intra_", "allcomm_"}) {
    if (name.starts_with(kind)) return name.substr(kind.size());
  }
  return name;
}

std::int64_t number_of(std::string_view setting, std::string_view value, int number) {
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size() || result < 0) {
    refuse(number, "\"", setting, "=", value, "\": expected a whole number");
  }
  return result;
}

/// Algorithms that are not here.
struct Elsewhere {
  std::string_view name;
  std::string_view setting;  ///< that it needs as well, if any
  std::string_view said;     ///< its name with that
  std::string_view why;
};
constexpr std::string_view of_smp = "its parts for nodes and between them are not simulated under this name";
constexpr std::string_view of_ccl =
    "it hands buffers in the memory of GPUs to another library, and MPICH chooses anew for buffers in host memory";
constexpr Elsewhere elsewhere[] = {
    {.name = "smp", .setting = "", .said = "smp", .why = of_smp},
    {.name = "sched_smp", .setting = "", .said = "sched_smp", .why = of_smp},
    {.name = "ccl", .setting = "ccl=nccl", .said = "ccl=nccl", .why = of_ccl},
    {.name = "ccl", .setting = "ccl=rccl", .said = "ccl=rccl", .why = of_ccl},
    {.name = "ccl", .setting = "", .said = "ccl", .why = of_ccl},
};

/// Null: there is no such algorithm.
const Elsewhere* find_elsewhere(std::string_view name, std::string_view settings) {
  const auto found = std::ranges::find_if(elsewhere, [&](const Elsewhere& entry) {
    return entry.name == name && settings.find(entry.setting) != std::string_view::npos;
  });
  return found == std::end(elsewhere) ? nullptr : &*found;
}

/// Names of the device's compositions. What one calls where it makes nothing of nodes is the same for all ranks.
constexpr std::string_view composition_prefix = "composition_";
bool is_composition(std::string_view name) {
  if (!name.starts_with(composition_prefix)) return false;
  const std::string_view letter = name.substr(composition_prefix.size());
  return letter == "alpha" || letter == "beta" || letter == "gamma";
}

/// Settings that say how a rank goes about its messages, not which they are.
constexpr std::array<std::string_view, 13> other_settings{"buffer_per_child",
                                                          "buffer_per_phase",
                                                          "single_phase_recv",
                                                          "is_non_blocking",
                                                          "recv_pre_posted",
                                                          "batch_size",
                                                          "bblock",
                                                          "ccl",
                                                          "topo_overhead",
                                                          "topo_diff_groups",
                                                          "topo_diff_switches",
                                                          "topo_same_switches",
                                                          "topo_reorder_enable"};

constexpr std::string_view or_else = " or ";

/// By name, or by the number that MPICH 4.0 wants.
std::string_view tree_named(std::string_view type) {
  if (type == "0") return "kary";
  if (type == "1") return "knomial_1";
  return type == "2" ? "knomial_2" : type;
}

std::string mpich_names(CollectiveKind kind, bool immediate) {
  std::string names;
  for (const Algorithm& algorithm : algorithms()) {
    const std::string_view name = immediate ? algorithm.mpich_immediate : algorithm.mpich;
    if (algorithm.kind != kind || algorithm.inter || name.empty()) continue;
    names += concat(names.empty() ? "" : " ", name);
  }
  return names;
}

/// Kinds whose algorithm "tree" is one of several.
bool has_trees(CollectiveKind kind) {
  return kind == CollectiveKind::Bcast || kind == CollectiveKind::Reduce || kind == CollectiveKind::Allreduce;
}

Choice read_answer(CollectiveKind kind, bool immediate, std::string_view text, int number) {
  std::string name{cut(text, ' ')};
  const std::string wanted = name;
  const Elsewhere* const other = find_elsewhere(wanted, text);
  std::string_view tree = kind == CollectiveKind::Allreduce && !immediate ? "knomial_1" : "kary";
  Choice choice;
  if (name == "pipelined_tree") choice.segment = {8192};
  while (!text.empty()) {
    std::string_view value = cut(text, ' ');
    const std::string_view setting = cut(value, '=');
    if (setting == "tree_type") {
      tree = tree_named(value);
    } else if (setting == "k" || setting == "throttle" || setting == "scatterv_k" || setting == "allgatherv_k") {
      const auto radix = static_cast<int>(number_of(setting, value, number));
      if (choice.fanout != 0 && choice.fanout != radix) refuse(number, "two different radices are not there yet");
      choice.fanout = radix;
    } else if (setting == "chunk_size") {
      choice.segment = {number_of(setting, value, number)};
    } else if (std::ranges::find(other_settings, setting) == other_settings.end()) {
      refuse(number, "\"", setting, "\" is no setting of an algorithm; settings are k, tree_type, chunk_size");
    }
  }
  if (wanted == "tsp_ring" && (kind == CollectiveKind::Bcast || kind == CollectiveKind::Reduce)) {
    name = "tsp_tree_kary";  // with one child
    choice.fanout = 1;
  } else if (has_trees(kind) && name.ends_with("tree")) {
    name += concat("_", tree);
  }
  choice.algorithm = find_mpich(kind, name, immediate);
  if (choice.algorithm == nullptr && other != nullptr) {
    choice.instead_of = {.algorithm = other->said, .why = other->why, .by = Decider::Rules};
  } else if (choice.algorithm == nullptr && !is_composition(wanted)) {
    refuse(number, "no algorithm of ", immediate ? "i" : "", collective::name(kind), " is named \"", name,
           "\"; there are: ", mpich_names(kind, immediate));
  }
  return choice;
}

}  // namespace

void MpichRules::add(int depth, std::string_view condition, std::string_view answer, int number) {
  if (depth == 0) {
    immediate_ = condition.starts_with('i');
    const auto kind = kind_named(condition.substr(immediate_ ? 1 : 0));
    if (!kind) refuse(number, "\"", condition, "\" is no collective; a collective is like bcast or ibcast");
    kind_ = *kind;
    tops_[entry(kind_, immediate_)] = static_cast<int>(lines_.size()) + 1;
    condition = "any";
  }
  const auto parsed = MpichCondition::parse(condition);
  if (!parsed) refuse(number, "unknown condition \"", condition, "\"; conditions are like ", MpichCondition::examples);
  Line line{.depth = depth, .condition = *parsed, .answer = {}, .otherwise = {}};
  if (answer == "nb") {
    line.as_immediate = true;
  } else if (!answer.empty()) {
    if (answers_ > 0 && composes_ != is_composition(answer))
      refuse(number, "compositions of MPICH's device and algorithms are in files of their own");
    composes_ = is_composition(answer);
    ++answers_;
    const std::size_t end = answer.find(or_else);
    line.answer = read_answer(kind_, immediate_, answer.substr(0, end), number);
    if (end != std::string_view::npos) {
      const std::string_view otherwise = without_kind(answer.substr(end + or_else.size()));
      line.otherwise = read_answer(kind_, immediate_, otherwise, number);
    }
  }
  lines_.push_back(line);
}

MpichRules MpichRules::from_text(std::string_view text) {
  MpichRules rules;
  int inter = 0;  // depth of what is between groups; 0: nothing is
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = cut(text, '\n');
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(blanks);
    const int depth = static_cast<int>(blanks) / indent;
    if (line.empty() || (inter > 0 && depth > inter)) continue;
    std::string_view condition = cut(line, ':');
    inter = condition == "inter" ? depth : 0;
    if (inter > 0) continue;
    if (condition == "intra") condition = "comm_type=intra";
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    rules.add(depth, condition, without_kind(line), number);
  }
  return rules;
}

Choice MpichRules::choose(const Call& call) const {
  const int top = tops_[entry(call.kind, call.immediate)];
  if (top == 0) return {};
  bool at_call = false;
  const Line* entered = &lines_[static_cast<std::size_t>(top - 1)];
  const Line* const end = lines_.data() + lines_.size();
  for (const Line* line = entered + 1; line < end && line->depth > entered->depth; ++line) {
    if (line->depth > entered->depth + 1) continue;
    const bool holds = line->condition.holds(call, at_call);
    at_call = at_call || line->condition.on_message();
    if (holds) entered = line;
  }
  if (entered->as_immediate && !call.immediate) {
    Call same = call;
    same.immediate = true;
    return choose(same);
  }
  if (!entered->answer) return {};
  const Choice& answer = *entered->answer;
  const bool serves = answer.algorithm != nullptr && answer.algorithm->accepts(answer.applied_to(call));
  Choice choice = serves || entered->otherwise.algorithm == nullptr ? answer : entered->otherwise;
  choice.by = Decider::Rules;
  return choice;
}

}  // namespace orrery::collective
