// SPDX-License-Identifier: BSD-3-Clause
/// Orrery's own format: whatever the bytes are, they are refused in words, or read to an end.
#include "base/error.hpp"
#include "input.hpp"
#include "timeline/events.hpp"
#include "timeline/timeline.hpp"
#include "trace/slice.hpp"
#include "trace/usage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const orrery::fuzz::Input input(data, size);
  try {
    const orrery::trace::File file(input.path());
    static_cast<void>(orrery::trace::Usage::of(file));
    static_cast<void>(orrery::trace::slice(file, "/dev/null", {.ranks = {0}, .from_ns = 5, .to_ns = 1000}));
    static_cast<void>(orrery::timeline::read(file, {.cells = 1000, .events = 10, .waits = 3}));
    static_cast<void>(orrery::timeline::messages(file));
    orrery::timeline::Events events(file, 0);
    while (!events.next(100).empty()) {
    }
  } catch (const orrery::InputError&) {
  }
  return 0;
}
