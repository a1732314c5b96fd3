// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/unmapped.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace orrery::mpi::channel {
namespace {

std::size_t done(ssize_t copied) { return copied > 0 ? static_cast<std::size_t>(copied) : 0; }

}  // namespace

bool has_descriptor(const Memory& memory) {
  std::array<std::byte, offsetof(Header, born)> head;  // what does not change
  const ssize_t n = pread(memory.descriptor(), head.data(), head.size(), 0);
  return done(n) == head.size() && std::memcmp(head.data(), memory.at(0), head.size()) == 0;
}

void copy_out(const Memory& memory, Offset from, std::span<std::byte> to) {
  const auto n = done(pread(memory.descriptor(), to.data(), to.size(), static_cast<off_t>(from)));
  if (n < to.size()) std::memcpy(to.data() + n, memory.at(from) + n, to.size() - n);
}

void copy_in(Memory& memory, std::span<const std::byte> from, Offset to) {
  const auto n = done(pwrite(memory.descriptor(), from.data(), from.size(), static_cast<off_t>(to)));
  if (n < from.size()) std::memcpy(memory.at(to) + n, from.data() + n, from.size() - n);
}

}  // namespace orrery::mpi::channel
