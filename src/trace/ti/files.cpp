// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ti/files.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "trace/ti/words.hpp"

namespace orrery::trace::ti {
namespace {

/// More would not be ranks, but the beginning of something else. A rank has two lines of its own, and costs about a
/// kilobyte when it is replayed: a few bytes cannot ask for all memory.
std::int64_t most_ranks(std::string_view text) {
  constexpr std::int64_t most = 1 << 24, without_lines = 1 << 14, bytes_of_rank = 24;
  return std::min(most, static_cast<std::int64_t>(text.size()) / bytes_of_rank + without_lines);
}

}  // namespace

Files::Files(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) files_.push_back({path, Mapped(path)});
  if (files_.empty()) throw InputError("a time-independent trace needs a file");
  if (files_.size() == 1) {
    divide(files_.front());
  } else {
    for (const One& file : files_) pieces_.push_back({file.mapped.text()});
  }
}

/// Finds whose lines are where. Empty lines and comments belong to whoever comes before them.
void Files::divide(const One& file) {
  const std::string_view text = file.mapped.text();
  const std::int64_t most = most_ranks(text);
  std::int64_t present = -1;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    Words words(text.substr(at, end - at));
    const std::size_t line = at;
    at = std::min(end + 1, text.size());
    if (words.at_end() || text[line] == '#') continue;
    const std::optional<std::int64_t> rank = words.integer();
    if (!rank || *rank < 0 || *rank >= most)
      throw InputError(concat(describe(text.data() + line), ": expected the number of a rank, then what it does"));
    if (*rank == present) continue;
    if (present >= 0) pieces_[static_cast<std::size_t>(present)].push_back(text.substr(begin, line - begin));
    begin = line;
    present = *rank;
    if (static_cast<std::size_t>(present) >= pieces_.size()) pieces_.resize(static_cast<std::size_t>(present) + 1);
  }
  if (present < 0) throw InputError(concat(file.path, ": is an empty trace; expected lines \"RANK ACTION ...\""));
  pieces_[static_cast<std::size_t>(present)].push_back(text.substr(begin));
}

std::uint64_t Files::size() const {
  std::uint64_t sum = 0;
  for (const One& file : files_) sum += file.mapped.bytes().size();
  return sum;
}

std::string Files::describe(const char* place) const {
  for (const One& file : files_) {
    const std::string_view text = file.mapped.text();
    if (place < text.data() || place > text.data() + text.size()) continue;
    return concat(file.path, ":", 1 + std::count(text.data(), place, '\n'));
  }
  return "the trace";
}

}  // namespace orrery::trace::ti
