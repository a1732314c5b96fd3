// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/heap/contents.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include "mpi/channel/folded.hpp"
#include "mpi/channel/sites.hpp"

namespace orrery::mpi::heap {
namespace {

constexpr std::size_t words_of_block = 256;
constexpr double least = 1e-200, most = 1e200;

/// The place in the program or its library that called: the file, and how far into it.
struct Place {
  const char* file = "?";
  std::int32_t offset = 0;
};

Place place_of(const void* caller) {
  Dl_info found{};
  if (dladdr(caller, &found) == 0 || found.dli_fname == nullptr) return {};
  const auto offset = static_cast<const char*>(caller) - static_cast<const char*>(found.dli_fbase);
  return {found.dli_fname, static_cast<std::int32_t>(offset)};
}

channel::HeapContents& contents_at(channel::Memory& memory, const Place& place) {
  const channel::Site& site =
      channel::site(memory, place.file, place.offset, channel::SiteKind::HeapContents, [&memory] {
        const channel::Offset made = memory.allocate(sizeof(channel::HeapContents));
        new (memory.at(made)) channel::HeapContents{};
        return made;
      });
  return *memory.as<channel::HeapContents>(site.what);
}

}  // namespace

bool looks_computed(std::uint64_t word) {
  const double size = std::abs(std::bit_cast<double>(word));
  return word == 0 || (size > least && size < most);
}

void look_into(channel::Memory& memory, const void* first, std::size_t bytes, const void* caller) {
  channel::HeapContents& known = contents_at(memory, place_of(caller));
  ++known.blocks;
  const std::size_t words = bytes / sizeof(std::uint64_t);
  const std::size_t looks = std::min(words, words_of_block);
  for (std::size_t i = 0; i < looks; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(first) + words * i / looks * sizeof word, sizeof word);
    if (word == 0) continue;
    ++known.words;
    if (!looks_computed(word)) ++known.suspected;
  }
}

}  // namespace orrery::mpi::heap
