// SPDX-License-Identifier: BSD-3-Clause
#include "launch/lines.hpp"

namespace orrery::launch {

void Lines::feed(std::string_view text, const Deliver& deliver) {
  while (!text.empty()) {
    const std::size_t newline = unit_ == Unit::Line ? text.find('\n') : text.rfind('\n');
    if (newline == std::string_view::npos) {
      beginning_ += text;
      if (beginning_.size() >= longest) flush(deliver);
      return;
    }
    const std::string_view whole = text.substr(0, newline + 1);
    text.remove_prefix(whole.size());
    if (beginning_.empty()) {
      deliver(whole);
    } else {
      beginning_ += whole;
      flush(deliver);
    }
  }
}

void Lines::flush(const Deliver& deliver) {
  if (beginning_.empty()) return;
  deliver(beginning_);
  beginning_.clear();
}

}  // namespace orrery::launch
