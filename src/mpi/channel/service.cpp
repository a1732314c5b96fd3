// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/service.hpp"

#include <algorithm>
#include <cstring>

namespace orrery::mpi::channel {

std::string join(const std::vector<std::string>& words) {
  std::string joined;
  for (const auto& word : words) joined.append(word.c_str(), word.size() + 1);
  return joined;
}

std::vector<std::string> split(std::string_view joined) {
  std::vector<std::string> words;
  for (std::size_t end; (end = joined.find('\0')) != std::string_view::npos; joined.remove_prefix(end + 1)) {
    words.emplace_back(joined.substr(0, end));
  }
  return words;
}

Offset put_text(Memory& memory, std::string_view text) {
  const Offset place = memory.allocate(std::max<std::size_t>(1, text.size()));
  std::memcpy(memory.at(place), text.data(), text.size());
  return place;
}

std::string take_text(Memory& memory, Offset place, std::size_t length) {
  const auto& header = memory.header();
  if (place < header.arena || place > header.file_bytes || length > header.file_bytes - place) return {};
  std::string text(memory.as<const char>(place), length);
  memory.release(place, std::max<std::size_t>(1, length));
  return text;
}

}  // namespace orrery::mpi::channel
