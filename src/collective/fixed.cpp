// SPDX-License-Identifier: BSD-3-Clause
#include "collective/fixed.hpp"

#include <charconv>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace orrery::collective {
namespace {

/// The text before and after the first `separator`; the second is absent if there is none.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
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
  constexpr std::array<std::pair<std::string_view, int>, 5> shifts{
      {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};
  for (const auto& [name, shift] : shifts) {
    if (text == name) return std::int64_t{1} << shift;
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
                            "\" is not a size in bytes; a size is like 32768 or 32KiB (B, KiB, ", "MiB, GiB)"));
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

/// Chains beside each other, the radix of a tree, or requests at a time.
bool fans_out(const Algorithm& algorithm) {
  return algorithm.radix || algorithm.name == "chain" || algorithm.name == "knomial" ||
         (algorithm.kind == CollectiveKind::Alltoall && algorithm.name == "linear_sync");
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
  const auto [key, value] = split(option, '=');
  if (key == "segment" && value) {
    choice.segment = parse_segment(*value, *choice.algorithm, part);
  } else if (key == "fanout" && value) {
    choice.fanout = parse_fanout(*value, *choice.algorithm, part);
  } else {
    throw InputError(concat("\"", part, "\": unknown option \"", option, "\"; there are: segment=SIZE, fanout=NUMBER"));
  }
}

void parse_part(std::string_view part, FixedChoices& choices) {
  const auto [kind_text, rest] = split(part, '=');
  const auto kind = kind_named(kind_text);
  if (!rest || !kind) {
    throw InputError(
        concat("\"", part,
               "\": expected COLLECTIVE=ALGORITHM[:segment=SIZE][:fanout=NUMBER]; collectives are: ", list_of_kinds()));
  }
  auto [algorithm_name, options] = split(*rest, ':');
  const Algorithm* algorithm = find(*kind, algorithm_name);
  if (algorithm == nullptr) {
    throw InputError(concat("\"", part, "\": no algorithm of ", kind_text, " is named \"", algorithm_name,
                            "\"; there are: ", list_of_algorithms(*kind, [](const Algorithm&) { return true; })));
  }
  Choice& choice = choices[static_cast<std::size_t>(*kind)];
  if (choice.algorithm != nullptr) throw InputError(concat("\"", part, "\": ", kind_text, " has been fixed before"));
  choice.algorithm = algorithm;
  while (options) {
    const auto [option, more] = split(*options, ':');
    parse_option(option, choice, part);
    options = more;
  }
}

}  // namespace

std::string spelled(const Choice& choice) {
  std::string text(choice.algorithm->name);
  if (const std::int64_t bytes = choice.segment.count; bytes > 0) {
    text += bytes % 1024 == 0 ? concat(":segment=", bytes / 1024, "KiB") : concat(":segment=", bytes);
  }
  if (choice.fanout > 0) text += concat(":fanout=", choice.fanout);
  return text;
}

FixedChoices parse_fixed(std::string_view text) {
  FixedChoices choices{};
  for (std::optional<std::string_view> rest = text; rest && !text.empty();) {
    const auto [part, after] = split(*rest, ',');
    parse_part(part, choices);
    rest = after;
  }
  return choices;
}

}  // namespace orrery::collective
