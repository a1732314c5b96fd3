// SPDX-License-Identifier: BSD-3-Clause
#include "rules.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "collective/fixed.hpp"

namespace orrery::deploy {
namespace {

Rule parse_rule(std::istringstream& words, const std::string& line) {
  std::string kind_name, algorithm;
  Rule rule{};
  words >> kind_name >> rule.ranks_from >> rule.ranks_to >> rule.bytes_from >> rule.bytes_to >> algorithm;
  const auto kind = collective::kind_named(kind_name);
  if (!words || !kind) throw InputError(concat("not a rule: ", line));
  rule.kind = *kind;
  if (algorithm != "library") rule.choice = collective::parse_choice(*kind, algorithm, algorithm);
  return rule;
}

HostPlace parse_place(std::istringstream& words, const std::string& line) {
  HostPlace place{};
  words >> place.part[0] >> place.part[1] >> place.part[2] >> place.pattern;
  if (!words) throw InputError(concat("not a place: ", line));
  return place;
}

}  // namespace

Settings parse_settings(const std::string& text) {
  Settings settings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "check") {
      settings.check = true;
    } else if (word == "report") {
      std::getline(words >> std::ws, settings.report);
    } else if (word == "rule") {
      settings.rules.push_back(parse_rule(words, line));
    } else if (word == "place") {
      settings.places.push_back(parse_place(words, line));
    } else if (!word.empty()) {
      throw InputError(concat("not known here: ", line));
    }
  }
  return settings;
}

const Rule* Settings::rule_of(CollectiveKind kind, int ranks, std::int64_t bytes) const {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) {
    return rule.kind == kind && rule.ranks_from <= ranks && ranks <= rule.ranks_to && rule.bytes_from <= bytes &&
           bytes <= rule.bytes_to;
  });
  return found == rules.end() ? nullptr : &*found;
}

bool Settings::concerns(int ranks) const {
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    return rule.choice.algorithm != nullptr && rule.ranks_from <= ranks && ranks <= rule.ranks_to;
  });
}

const HostPlace* Settings::place_of(const std::string& host) const {
  const std::string brief = host.substr(0, host.find('.'));
  const auto found = std::ranges::find_if(places, [&](const HostPlace& place) {
    return fnmatch(place.pattern.c_str(), host.c_str(), 0) == 0 ||
           fnmatch(place.pattern.c_str(), brief.c_str(), 0) == 0;
  });
  return found == places.end() ? nullptr : &*found;
}

}  // namespace orrery::deploy
