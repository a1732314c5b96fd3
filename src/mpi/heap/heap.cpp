// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "mpi/channel/folded.hpp"
#include "mpi/heap/blocks.hpp"
#include "mpi/heap/contents.hpp"
#include "mpi/heap/libc.hpp"

/// The heap of a program whose large allocations are folded (`orrery run --fold-heap`): a library of its own, that is
/// loaded before all others. It has the functions of the C library that allocate. What is smaller than the limit, and
/// what a library asks for that keeps pointers in it, goes on to the C library.
///
/// One rank, the first, has memory of its own instead, as large as it asks for: what it writes there is looked at
/// before it gives it back (contents.hpp). A program that keeps integers or addresses there does so in all ranks.
namespace orrery::mpi::heap {
namespace {

using channel::Memory;

constexpr std::size_t none = ~std::size_t{0};  ///< nothing is folded

Memory* memory = nullptr;
std::size_t limit = none;  ///< smallest block that is folded
Blocks folded;
Blocks watched;        ///< of the rank that is looked at
bool is_rank = false;  ///< what a process has before that is counted then, by each rank that is forked from it
bool is_watched = false;

/// Once the libraries are loaded, and before any of the program runs.
[[gnu::constructor]] void begin() {
  const char* descriptor = std::getenv(channel::env_memory);
  if (descriptor == nullptr) return;  // what the program starts is no rank
  try {
    alignas(Memory) static std::byte room[sizeof(Memory)];  // in use until the last instruction
    memory = new (room) Memory(Memory::attach(fcntl(std::atoi(descriptor), F_DUPFD_CLOEXEC, 0)));
  } catch (const InputError&) {
    return;  // the MPI library says so
  }
  const std::size_t from = memory->header().fold_from;
  if (from > 0) limit = from;
}

/// Libraries that keep pointers in what they ask for: the C library, interpreters, and MPI.
bool keeps_pointers(const void* caller) {
  Dl_info found{};
  if (dladdr(caller, &found) == 0 || found.dli_fname == nullptr) return false;
  const char* slash = std::strrchr(found.dli_fname, '/');
  const std::string_view name = slash == nullptr ? found.dli_fname : slash + 1;
  for (const std::string_view other : {"libc.so", "libc-", "ld-", "libmpi", "libpython", "python", "liborrery"}) {
    if (name.starts_with(other)) return true;
  }
  return false;
}

/// Null: it is not to be folded, or there is no room.
void* fold(std::size_t bytes, const void* caller) {
  if (is_watched || keeps_pointers(caller)) return nullptr;
  void* const first = channel::map_folded(memory->descriptor(), memory->header().fold_block, bytes);
  if (first == nullptr) return nullptr;
  if (!folded.add(first, {bytes, caller})) {
    channel::unmap_folded(first, bytes);
    return nullptr;
  }
  if (is_rank) memory->header().folded.ask(bytes);
  return first;
}

void look_at(void* first, const Block& block) { look_into(*memory, first, block.bytes, block.caller); }

/// @return false: it is the C library's
bool release(void* first) {
  if (first == nullptr) return false;
  if (is_watched) {
    if (const auto block = watched.take(first)) look_at(first, *block);
  }
  if (reinterpret_cast<std::uintptr_t>(first) % channel::page_bytes != 0) return false;
  const auto block = folded.take(first);
  if (!block) return false;
  channel::unmap_folded(first, block->bytes);
  if (is_rank) memory->header().folded.give_back(block->bytes);
  return true;
}

/// Memory of the rank that is looked at, as the C library gives it.
void* watch(void* own, std::size_t bytes, const void* caller) {
  if (own != nullptr && bytes >= limit && !keeps_pointers(caller)) watched.add(own, {bytes, caller});
  return own;
}

std::size_t size_of(void* first) {
  const auto block = folded.find(first);
  return block ? block->bytes : 0;
}

}  // namespace

// --- what the MPI library says, if this one is loaded ----------------------------------------------------------------

extern "C" __attribute__((visibility("default"))) void orrery_heap_of_rank(int rank) {
  if (limit == none) return;
  std::size_t bytes = 0;
  folded.for_each([&bytes](void*, const Block& block) { bytes += block.bytes; });
  memory->header().folded.ask(bytes);
  is_rank = true;
  is_watched = rank == 0;
}

extern "C" __attribute__((visibility("default"))) void orrery_heap_ends() {
  if (is_watched) watched.for_each(look_at);
}

}  // namespace orrery::mpi::heap

// --- what the program calls ------------------------------------------------------------------------------------------

#define ORRERY_HEAP extern "C" __attribute__((visibility("default")))

using namespace orrery::mpi::heap;

ORRERY_HEAP void* malloc(std::size_t bytes) {
  if (bytes < limit) return __libc_malloc(bytes);
  const void* const caller = __builtin_return_address(0);
  if (is_watched) return watch(__libc_malloc(bytes), bytes, caller);
  void* const first = fold(bytes, caller);
  return first != nullptr ? first : __libc_malloc(bytes);
}

ORRERY_HEAP void free(void* first) {
  if (limit != none && release(first)) return;
  __libc_free(first);
}

/// What is folded is not cleared: what others write would be in it a moment later.
ORRERY_HEAP void* calloc(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all) || all < limit) return __libc_calloc(count, bytes);
  const void* const caller = __builtin_return_address(0);
  if (is_watched) return watch(__libc_calloc(count, bytes), all, caller);
  void* const first = fold(all, caller);
  return first != nullptr ? first : __libc_calloc(count, bytes);
}

ORRERY_HEAP void* realloc(void* first, std::size_t bytes) {
  if (limit == none) return __libc_realloc(first, bytes);
  const void* const caller = __builtin_return_address(0);
  const std::size_t before = first == nullptr ? 0 : size_of(first);  // of what is folded
  if (before == 0 && (is_watched || bytes < limit)) {
    (void)watched.take(first);
    return watch(__libc_realloc(first, bytes), bytes, caller);
  }
  void* other = bytes < limit || is_watched ? nullptr : fold(bytes, caller);
  if (other == nullptr) other = watch(__libc_malloc(bytes), is_watched ? bytes : 0, caller);
  if (other == nullptr || first == nullptr) return other;
  std::memcpy(other, first, std::min(before != 0 ? before : malloc_usable_size(first), bytes));
  free(first);
  return other;
}

ORRERY_HEAP void* memalign(std::size_t alignment, std::size_t bytes) {
  if (bytes < limit || alignment > orrery::mpi::channel::page_bytes) return __libc_memalign(alignment, bytes);
  const void* const caller = __builtin_return_address(0);
  if (is_watched) return watch(__libc_memalign(alignment, bytes), bytes, caller);
  void* const first = fold(bytes, caller);
  return first != nullptr ? first : __libc_memalign(alignment, bytes);
}

ORRERY_HEAP __attribute__((alias("memalign"))) void* aligned_alloc(std::size_t alignment, std::size_t bytes);

ORRERY_HEAP int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const void* const caller = __builtin_return_address(0);
  void* first =
      bytes < limit || is_watched || alignment > orrery::mpi::channel::page_bytes ? nullptr : fold(bytes, caller);
  if (first == nullptr) first = __libc_memalign(alignment, bytes);
  if (is_watched) (void)watch(first, bytes, caller);
  if (first == nullptr) return ENOMEM;
  *result = first;
  return 0;
}

ORRERY_HEAP std::size_t malloc_usable_size(void* first) {
  if (limit != none && first != nullptr) {
    if (const std::size_t bytes = size_of(first)) return bytes;
  }
  static const auto next = reinterpret_cast<std::size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next(first);
}
