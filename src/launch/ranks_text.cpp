// SPDX-License-Identifier: BSD-3-Clause
#include "launch/ranks_text.hpp"

#include "base/error.hpp"

namespace orrery::launch {

std::string ranks_text(const std::vector<std::int32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t first = 0, next; first < ranks.size(); first = next) {
    for (next = first + 1; next < ranks.size() && ranks[next] == ranks[next - 1] + 1;) ++next;
    if (first > 0) text += ", ";
    text += concat(ranks[first]);
    if (next - first > 1) text += concat("-", ranks[next - 1]);
  }
  return text;
}

}  // namespace orrery::launch
