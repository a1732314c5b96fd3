// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr std::uint64_t magic = 0x0059524552524f01;  // "\1ORRERY"
#ifdef __SANITIZE_THREAD__
constexpr std::size_t largest_file = std::size_t{1} << 36;  // the sanitizer keeps several bytes for each
#else
constexpr std::size_t largest_file = std::size_t{1} << 40;
#endif
constexpr std::size_t smallest_arena = std::size_t{256} << 20;

/// Maps the file so that it begins with a huge page: its offsets are then as well aligned as addresses, in all
/// processes. @return MAP_FAILED for no room
void* map(int descriptor, std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  void* const room = mmap(nullptr, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return room;
  const auto begin = reinterpret_cast<std::uintptr_t>(room);
  const std::uintptr_t base = round_up(begin, huge_page);
  void* const mapped = mmap(reinterpret_cast<void*>(base), bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    munmap(room, bytes + huge_page);
    return mapped;
  }
  if (base > begin) munmap(room, base - begin);
  const std::uintptr_t end = base + round_up(bytes, page_bytes);
  if (end < begin + bytes + huge_page) munmap(reinterpret_cast<void*>(end), begin + bytes + huge_page - end);
  return mapped;
}

constexpr const char* no_room = "; raise the limit of virtual memory of this process (ulimit -v)";

/// Under valgrind, which at the end looks for pointers in all that is mapped: pages that are read so are there from
/// then on.
constexpr std::size_t most_under_valgrind = std::size_t{1} << 30;

/// As much of the file as this process may map: under valgrind, or with a limit of virtual memory, it is not all.
std::pair<std::byte*, std::size_t> map_most(int descriptor, std::size_t bytes) {
  if (is_under_valgrind()) bytes = std::min(bytes, most_under_valgrind);
  for (; bytes >= smallest_arena; bytes /= 2) {
    void* base = map(descriptor, bytes);
    if (base != MAP_FAILED) return {static_cast<std::byte*>(base), bytes};
    if (errno != ENOMEM && errno != EINVAL) break;
  }
  throw InputError(concat("cannot map Orrery's shared memory: ", std::strerror(errno), no_room));
}

}  // namespace

bool is_under_valgrind() {
  const char* preloaded = std::getenv("LD_PRELOAD");  // by which it brings its own parts in
  return preloaded != nullptr && std::strstr(preloaded, "vgpreload") != nullptr;
}

Memory Memory::create(std::uint32_t ranks, std::uint32_t spare) {
  const int descriptor = memfd_create(memory_name, MFD_CLOEXEC);
  if (descriptor < 0) throw InputError(concat("cannot create shared memory: ", std::strerror(errno)));
  const std::size_t fixed =
      sizeof(Header) + (ranks + spare) * (sizeof(RankBlock) + inbox_bytes + name_bytes + 16) + max_comms * 8;
  // The arena is as large as the system lets an empty file and its mapping be: pages cost nothing until they are used.
  for (std::size_t bytes = largest_file; bytes >= fixed + smallest_arena; bytes /= 2) {
    if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) continue;
    void* base = map(descriptor, bytes);
    if (base == MAP_FAILED) continue;
    Memory memory(descriptor, static_cast<std::byte*>(base), bytes);
    memory.lay_out(ranks, spare);
    return memory;
  }
  close(descriptor);
  throw InputError(concat("cannot map shared memory for ", ranks,
                          " ranks: raise the limit of virtual memory (ulimit -v) to at least ",
                          (fixed + smallest_arena) >> 20, " MiB"));
}

void Memory::lay_out(std::uint32_t ranks, std::uint32_t spare) {
  Header& head = *new (base_) Header{};
  head.magic = magic;
  head.version = version;
  head.ranks = ranks;
  head.capacity = ranks + spare;
  head.born.store(ranks);
  head.file_bytes = bytes_;
  head.mapped_bytes.store(bytes_);
  Offset top = round_up(sizeof(Header), page_bytes);
  const auto take = [&top](std::size_t bytes) { return std::exchange(top, top + round_up(bytes, page_bytes)); };
  head.blocks = take(head.capacity * sizeof(RankBlock));
  head.inboxes = take(head.capacity * inbox_bytes);
  head.host_of_rank = take(head.capacity * sizeof(std::uint32_t));
  head.compute_factors = take(head.capacity * sizeof(double));
  head.comms = take(max_comms * sizeof(Offset));
  head.arena = top;
  head.arena_top.store(top);
  std::vector<std::int32_t> world(ranks);
  std::iota(world.begin(), world.end(), 0);
  set_compute_factors(std::vector<double>(head.capacity, 1));
  define_comm(0, world);
}

Memory Memory::attach(int descriptor) {
  const off_t bytes = lseek(descriptor, 0, SEEK_END);
  if (bytes < static_cast<off_t>(sizeof(Header))) {
    throw InputError(
        concat("descriptor ", descriptor, " is not Orrery's shared memory; start the program with orrery run"));
  }
  const auto [base, mapped] = map_most(descriptor, static_cast<std::size_t>(bytes));
  Memory memory(descriptor, base, mapped);
  if (memory.header().magic != magic || memory.header().version != version) {
    throw InputError(
        "this program's MPI library and `orrery run` are of different versions: rebuild the program or use the other "
        "orrery");
  }
  memory.use_what_is_mapped();
  return memory;
}

/// Blocks beyond what this process has mapped are not given to anyone.
void Memory::use_what_is_mapped() {
  std::uint64_t all = header().mapped_bytes.load();
  while (bytes_ < all && !header().mapped_bytes.compare_exchange_weak(all, bytes_)) {
  }
  if (header().arena_top.load() > bytes_) throw InputError(concat("cannot map all of Orrery's shared memory", no_room));
}

Memory::Memory(Memory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Memory::~Memory() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

RankBlock& Memory::block(int world_rank) const { return as<RankBlock>(header().blocks)[world_rank]; }

std::byte* Memory::inbox(int world_rank) const {
  return at(header().inboxes + static_cast<std::size_t>(world_rank) * inbox_bytes);
}

void Memory::write_name(Offset place, const std::string& name) {
  const std::size_t length = std::min(name.size(), name_bytes - 1);
  std::memcpy(at(place), name.data(), length);
  as<char>(place)[length] = '\0';
}

void Memory::set_hosts(std::span<const std::string> names, std::span<const std::uint32_t> host_of_rank) {
  header().hosts = names.empty() ? allocate(name_bytes) : write_names(names);
  header().hosts_listed = static_cast<std::uint32_t>(names.size());
  std::copy(host_of_rank.begin(), host_of_rank.end(), as<std::uint32_t>(header().host_of_rank));
}

void Memory::set_processors(std::span<const std::uint32_t> of_host) {
  if (of_host.empty()) return;
  header().processors = allocate(of_host.size() * sizeof(std::uint32_t));
  std::ranges::copy(of_host, as<std::uint32_t>(header().processors));
}

std::uint32_t Memory::processors(int world_rank) const {
  return header().processors == 0 ? 0 : as<std::uint32_t>(header().processors)[host_of(world_rank)];
}

void Memory::set_levels(std::span<const Level> levels) {
  if (levels.empty()) return;
  const std::size_t ranks = header().capacity;
  header().level_names = allocate(levels.size() * name_bytes);
  header().part_of_rank = allocate(levels.size() * ranks * sizeof(std::uint32_t));
  header().part_names = allocate(levels.size() * sizeof(Offset));
  header().levels = static_cast<std::uint32_t>(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    write_name(header().level_names + i * name_bytes, levels[i].name);
    std::ranges::copy(levels[i].part_of_rank, as<std::uint32_t>(header().part_of_rank) + i * ranks);
    as<Offset>(header().part_names)[i] = write_names(levels[i].part_names);
  }
}

Offset Memory::write_names(std::span<const std::string> names) {
  if (names.empty()) return 0;
  const Offset place = allocate(names.size() * name_bytes);
  for (std::size_t i = 0; i < names.size(); ++i) write_name(place + i * name_bytes, names[i]);
  return place;
}

const char* Memory::level_name(int level) const {
  return as<char>(header().level_names + static_cast<std::size_t>(level) * name_bytes);
}

std::uint32_t Memory::part_of(int level, int world_rank) const {
  return as<std::uint32_t>(header().part_of_rank)[static_cast<std::size_t>(level) * header().capacity +
                                                  static_cast<std::size_t>(world_rank)];
}

const char* Memory::part_name(int level, int world_rank) const {
  const Offset names = as<Offset>(header().part_names)[level];
  return names == 0 ? "" : as<char>(names + part_of(level, world_rank) * name_bytes);
}

void Memory::set_compute_factors(std::span<const double> factors) {
  const auto count = std::min<std::size_t>(factors.size(), header().capacity);
  std::ranges::copy(factors.first(count), as<double>(header().compute_factors));
}

double Memory::compute_factor(int world_rank) const { return as<double>(header().compute_factors)[world_rank]; }

std::uint32_t Memory::host_of(int world_rank) const { return as<std::uint32_t>(header().host_of_rank)[world_rank]; }

const char* Memory::host_name(int world_rank) const {
  return as<char>(header().hosts + host_of(world_rank) * name_bytes);
}

}  // namespace orrery::mpi::channel
