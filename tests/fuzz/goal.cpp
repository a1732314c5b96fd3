// SPDX-License-Identifier: BSD-3-Clause
/// GOAL schedules, as text or binary: what is read is written as text, which touches every node and edge.
#include <sstream>

#include "base/error.hpp"
#include "input.hpp"
#include "trace/goal/schedule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const orrery::fuzz::Input input(data, size);
  try {
    std::ostringstream out;
    orrery::trace::goal::write_text(orrery::trace::goal::Schedule::open(input.path()), out);
  } catch (const orrery::InputError&) {
  }
  return 0;
}
