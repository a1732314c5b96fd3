// SPDX-License-Identifier: BSD-3-Clause
#include "program/plain.hpp"

#include <string_view>
#include <vector>

namespace orrery::program {

std::optional<PlainLogGOPS> plain_loggops(std::span<const char* const> words) {
  constexpr std::string_view option = "--loggops", with_value = "--loggops=";
  std::vector<std::string_view> files, parameters;
  bool as_json = false;
  if (words.empty() || std::string_view(words[0]) != "replay") return std::nullopt;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == option) {
      if (++i == words.size()) return std::nullopt;
      parameters.emplace_back(words[i]);
    } else if (word.starts_with(with_value)) {
      parameters.push_back(word.substr(with_value.size()));
    } else if (word == "--json") {
      as_json = true;
    } else {
      files.push_back(word);
    }
  }
  if (files.size() != 1 || parameters.size() != 1) return std::nullopt;
  if (files[0].starts_with('-') || parameters[0].starts_with('-')) return std::nullopt;
  return PlainLogGOPS{std::string(files[0]), std::string(parameters[0]), as_json};
}

}  // namespace orrery::program
