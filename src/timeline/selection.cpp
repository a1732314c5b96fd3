// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/selection.hpp"

namespace orrery::timeline {

void Windows::add(std::uint32_t rank, std::int64_t begin_ns, std::int64_t end_ns) {
  by_rank_[rank].push_back({begin_ns, end_ns});
}

void Windows::prepare() {
  for (std::vector<Window>& windows : by_rank_) {
    std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) { return a.begin_ns < b.begin_ns; });
    std::size_t kept = 0;
    for (const Window& window : windows) {
      if (kept > 0 && window.begin_ns <= windows[kept - 1].end_ns) {
        windows[kept - 1].end_ns = std::max(windows[kept - 1].end_ns, window.end_ns);
      } else {
        windows[kept++] = window;
      }
    }
    windows.resize(kept);
  }
}

bool Windows::touches(std::uint32_t rank, std::int64_t begin_ns, std::int64_t end_ns) const {
  const std::vector<Window>& windows = by_rank_[rank];
  const auto first = std::lower_bound(windows.begin(), windows.end(), begin_ns,
                                      [](const Window& window, std::int64_t ns) { return window.end_ns < ns; });
  return first != windows.end() && first->begin_ns <= end_ns;
}

}  // namespace orrery::timeline
