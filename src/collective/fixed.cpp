// SPDX-License-Identifier: BSD-3-Clause
#include "collective/fixed.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace orrery::collective {
namespace {

/// The text before and after the first `separator` outside of parentheses; the second is absent if there is none.
std::pair<std::string_view, std::optional<std::string_view>> split_at(std::string_view text, char separator) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == separator && depth == 0) return {text.substr(0, at), text.substr(at + 1)};
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  }
  return {text, std::nullopt};
}

std::string list_of_kinds() {
  std::string list;
  for (int kind = 0; kind < op::collective_kinds; ++kind) {
    if (kind > 0) list += ", ";
    list += name(static_cast<CollectiveKind>(kind));
  }
  return list;
}

/// Names of the algorithms of a kind that have a property.
template <class Has>
std::string list_of_algorithms(CollectiveKind kind, Has has) {
  std::string list;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.kind != kind || !has(algorithm)) continue;
    if (!list.empty()) list += ", ";
    list += algorithm.name;
  }
  return list.empty() ? "none" : list;
}

std::optional<std::int64_t> unit(std::string_view text) {
  constexpr std::int64_t Ki = 1024, Mi = Ki * Ki, Gi = Mi * Ki;
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 16> factors{{{"", 1},
                                                                               {"B", 1},
                                                                               {"k", Ki},
                                                                               {"K", Ki},
                                                                               {"M", Mi},
                                                                               {"G", Gi},
                                                                               {"Ki", Ki},
                                                                               {"Mi", Mi},
                                                                               {"Gi", Gi},
                                                                               {"KiB", Ki},
                                                                               {"MiB", Mi},
                                                                               {"GiB", Gi},
                                                                               {"kB", 1'000},
                                                                               {"KB", 1'000},
                                                                               {"MB", 1'000'000},
                                                                               {"GB", 1'000'000'000}}};
  for (const auto& [name, factor] : factors) {
    if (text == name) return factor;
  }
  return std::nullopt;
}

Bytes parse_bytes(std::string_view text, std::string_view part) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto factor = unit(text.substr(static_cast<std::size_t>(end - text.data())));
  const bool too_large = factor && number > std::numeric_limits<std::int64_t>::max() / *factor;
  if (error != std::errc{} || !factor || number <= 0 || too_large) {
    throw InputError(concat("\"", part, "\": \"", text,
                            "\" is not a size in bytes; a size is like 32768, 32K or 32KiB "
                            "(powers of 1024), or 32kB (of 1000)"));
  }
  return {number * *factor};
}

Bytes parse_segment(std::string_view value, const Algorithm& algorithm, std::string_view part) {
  if (!algorithm.segments) {
    throw InputError(concat("\"", part, "\": ", name(algorithm.kind), " by ", algorithm.name,
                            " is not segmented; segments are for: ",
                            list_of_algorithms(algorithm.kind, [](const Algorithm& a) { return a.segments; })));
  }
  return parse_bytes(value, part);
}

int parse_fanout(std::string_view value, const Algorithm& algorithm, std::string_view part) {
  constexpr int most = 32;
  if (!fans_out(algorithm)) {
    throw InputError(concat("\"", part, "\": ", name(algorithm.kind), " by ", algorithm.name,
                            " has no fanout; it is for: ", list_of_algorithms(algorithm.kind, fans_out)));
  }
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < 1 || number > most)
    throw InputError(concat("\"", part, "\": fanout \"", value, "\", expected a number from 1 to ", most));
  return number;
}

void parse_option(std::string_view option, Choice& choice, std::string_view part) {
  const auto [key, value] = split_at(option, '=');
  if (key == "segment" && value) {
    choice.segment = parse_segment(*value, *choice.algorithm, part);
  } else if (key == "fanout" && value) {
    choice.fanout = parse_fanout(*value, *choice.algorithm, part);
  } else {
    throw InputError(concat("\"", part, "\": unknown option \"", option, "\"; there are: segment=SIZE, fanout=NUMBER"));
  }
}

void parse_options(std::optional<std::string_view> options, Choice& choice, std::string_view part) {
  while (options) {
    const auto [option, more] = split_at(*options, ':');
    parse_option(option, choice, part);
    options = more;
  }
}

/// An algorithm of some collective, with its options: which collective the stages make is their business.
/// Where several have the name, one that has segments, so that it may have that option.
PartChoice parse_stage(std::string_view text, std::string_view part) {
  const auto [wanted, options] = split_at(text, ':');
  Choice choice;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name != wanted || algorithm.topology || algorithm.inter) continue;
    if (choice.algorithm == nullptr || (algorithm.segments && !choice.algorithm->segments))
      choice.algorithm = &algorithm;
  }
  if (choice.algorithm == nullptr)
    throw InputError(concat("\"", part, "\": no collective has a flat algorithm named \"", wanted, "\""));
  parse_options(options, choice, part);
  return {.algorithm = choice.algorithm->name, .segment = choice.segment, .fanout = choice.fanout};
}

Places::Mask parse_levels(std::string_view text, std::string_view part) {
  Places::Mask mask = 0;
  for (std::optional<std::string_view> rest = text; rest;) {
    const auto [level, after] = split_at(*rest, '+');
    const auto* const found = std::ranges::find(Places::names, level);
    if (found == Places::names.end())
      throw InputError(
          concat("\"", part, "\": no level is named \"", level, "\"; there are: site, cluster, cabinet, node, socket"));
    mask |= Places::Mask{1} << (found - Places::names.begin());
    rest = after;
  }
  return mask;
}

/// Reads "levels=cluster+node,inner=ALGORITHM,outer=ALGORITHM", each of which may be left out.
Hierarchy parse_hierarchy(std::string_view text, std::string_view part) {
  Hierarchy hierarchy;
  for (std::optional<std::string_view> rest = text; rest && !text.empty();) {
    const auto [argument, after] = split_at(*rest, ',');
    const auto [key, value] = split_at(argument, '=');
    if (key == "levels" && value) {
      hierarchy.levels = parse_levels(*value, part);
    } else if (key == "inner" && value) {
      hierarchy.inner = parse_stage(*value, part);
    } else if (key == "outer" && value) {
      hierarchy.outer = parse_stage(*value, part);
    } else {
      throw InputError(concat("\"", part, "\": unknown argument \"", argument,
                              "\"; there are: levels=LEVEL+..., inner=ALGORITHM, outer=ALGORITHM"));
    }
    rest = after;
  }
  return hierarchy;
}

void parse_part(std::string_view part, FixedChoices& choices) {
  const auto [kind_text, rest] = split_at(part, '=');
  const auto kind = kind_named(kind_text);
  if (!rest || !kind) {
    throw InputError(
        concat("\"", part,
               "\": expected COLLECTIVE=ALGORITHM[:segment=SIZE][:fanout=NUMBER]; collectives are: ", list_of_kinds()));
  }
  Choice& choice = choices[static_cast<std::size_t>(*kind)];
  if (choice.algorithm != nullptr) throw InputError(concat("\"", part, "\": ", kind_text, " has been fixed before"));
  choice = parse_choice(*kind, *rest, part);
}

std::string spelled_part(const PartChoice& choice) {
  const Algorithm named{.kind = CollectiveKind::Barrier, .name = choice.algorithm, .stream = nullptr};
  return spelled(Choice{.algorithm = &named, .segment = choice.segment, .fanout = choice.fanout});
}

/// What differs from the defaults, in parentheses.
std::string spelled_hierarchy(const Hierarchy& hierarchy) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text += concat(text.empty() ? "(" : ",", key, "=", value);
  };
  if (hierarchy.levels != Places::all_levels) {
    std::string levels;
    for (std::size_t i = 0; i < Places::names.size(); ++i)
      if ((hierarchy.levels >> i & 1U) != 0) levels += concat(levels.empty() ? "" : "+", Places::names[i]);
    add("levels", levels);
  }
  if (!hierarchy.inner.algorithm.empty()) add("inner", spelled_part(hierarchy.inner));
  if (!hierarchy.outer.algorithm.empty()) add("outer", spelled_part(hierarchy.outer));
  return text.empty() ? text : text + ")";
}

}  // namespace

bool fans_out(const Algorithm& algorithm) {
  return algorithm.radix || algorithm.name == "chain" || algorithm.name == "knomial" ||
         (algorithm.kind == CollectiveKind::Alltoall && algorithm.name == "linear_sync");
}

std::string spelled(const Choice& choice) {
  std::string text = concat(choice.algorithm->name, spelled_hierarchy(choice.hierarchy));
  if (const std::int64_t bytes = choice.segment.count; bytes > 0) {
    text += bytes % 1024 == 0 ? concat(":segment=", bytes / 1024, "KiB") : concat(":segment=", bytes);
  }
  if (choice.fanout > 0) text += concat(":fanout=", choice.fanout);
  return text;
}

Choice parse_choice(CollectiveKind kind, std::string_view text, std::string_view part) {
  const auto [named, options] = split_at(text, ':');
  const std::size_t open = named.find('(');
  const std::string_view wanted = named.substr(0, open);
  const Algorithm* algorithm = find(kind, wanted);
  if (algorithm == nullptr) {
    throw InputError(concat("\"", part, "\": no algorithm of ", name(kind), " is named \"", wanted,
                            "\"; there are: ", list_of_algorithms(kind, [](const Algorithm&) { return true; })));
  }
  Choice choice{.algorithm = algorithm};
  parse_options(options, choice, part);
  if (open == std::string_view::npos) return choice;
  if (algorithm->name != "hierarchical")
    throw InputError(concat("\"", part, "\": only hierarchical takes arguments: hierarchical(levels=...,inner=...)"));
  if (named.back() != ')') throw InputError(concat("\"", part, "\": expected \")\" behind the arguments"));
  choice.hierarchy = parse_hierarchy(named.substr(open + 1, named.size() - open - 2), part);
  return choice;
}

std::optional<Choice> recognised(CollectiveKind kind, std::string_view text) {
  try {
    const Choice choice = parse_choice(kind, text, text);
    if (spelled(choice) == text) return choice;
  } catch (const InputError&) {  // of another kind, or of another version of Orrery
  }
  return std::nullopt;
}

FixedChoices parse_fixed(std::string_view text) {
  FixedChoices choices{};
  for (std::optional<std::string_view> rest = text; rest && !text.empty();) {
    const auto [part, after] = split_at(*rest, ',');
    parse_part(part, choices);
    rest = after;
  }
  return choices;
}

}  // namespace orrery::collective
