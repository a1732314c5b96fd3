// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/extension/folder.hpp"

#include <cstdlib>
#include <new>

#include "mpi/channel/folded.hpp"
#include "mpi/channel/sites.hpp"
#include "mpi/extension/extension.hpp"
#include "mpi/process/process.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

void* Folder::allocate(std::size_t bytes, const char* file, std::int32_t line) {
  try {
    channel::Offset made = 0;  // another rank may be faster: then it stands for nothing
    const channel::Site& place = channel::site(memory_, file, line, channel::SiteKind::Folded,
                                               [&] { return made = channel::make_folded_block(memory_); });
    if (place.what == made) memory_.header().folded.blocks.fetch_add(1, std::memory_order_relaxed);
    void* const first = channel::map_folded(memory_.descriptor(), place.what, bytes);
    if (first == nullptr) return nullptr;
    sizes_[first] = bytes;
    memory_.header().folded.ask(bytes);
    return first;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool Folder::release(void* first) {
  const auto found = sizes_.find(first);
  if (found == sizes_.end()) return false;
  channel::unmap_folded(first, found->second);
  memory_.header().folded.give_back(found->second);
  sizes_.erase(found);
  return true;
}

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------
// Before MPI_Init, alone, and where all is to be as in a real run, memory is the process's own.

using namespace orrery::mpi;

ORRERY_EXTENDS void* orrery_shared_malloc(std::size_t bytes, const char* file, int line) noexcept {
  Rank* rank = process().rank;
  if (rank == nullptr || process().alone || rank->settings().execute_all != 0) return std::malloc(bytes);
  return rank->folder().allocate(bytes, file, line);
}

ORRERY_EXTENDS void orrery_shared_free(void* first) noexcept {
  Rank* rank = process().rank;
  if (rank == nullptr || !rank->folder().release(first)) std::free(first);
}
