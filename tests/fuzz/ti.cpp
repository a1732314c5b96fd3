// SPDX-License-Identifier: BSD-3-Clause
/// Time-independent traces of SimGrid's, all ranks in one file.
#include "base/error.hpp"
#include "input.hpp"
#include "trace/ti/reader.hpp"

namespace {

void read_all(const orrery::trace::ti::Files& files) {
  const orrery::trace::ti::Terms terms;
  orrery::trace::ti::KnownLines known;
  orrery::op::Operation operation;
  for (std::uint32_t rank = 0; rank < files.ranks(); ++rank) {
    orrery::trace::ti::Reader reader(files, terms, known, rank);
    for (std::uint32_t answers = 0; reader.next(operation) == orrery::op::Pull::Ready;) {
      if (orrery::op::wants_reply(operation)) reader.reply({.flag = ++answers % 2 == 0});
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const orrery::fuzz::Input input(data, size);
  try {
    read_all(orrery::trace::ti::Files({input.path()}));
  } catch (const orrery::InputError&) {
  }
  return 0;
}
