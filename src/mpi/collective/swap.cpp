// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/swap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "mpi/channel/unmapped.hpp"
#include "mpi/collective/limits.hpp"
#include "mpi/collective/round.hpp"
#include "mpi/environment.hpp"

namespace orrery::mpi {

namespace {

using channel::Memory;
using channel::Offset;

/// From so many bytes of all members on, slices are copied out by the system: else each member would map a page, and
/// with it sixteen, for each slice, and pages of page tables besides.
constexpr std::int64_t most_mapped = 128 << 20;

/// How many begin to read when the round is over, each of which lets another one begin when it is done. As many as
/// there are processors, where that is much work: else the simulation, which is as much, would get one share in a
/// thousand of a processor until all are done.
int readers(bool much) {
  if (!much) return std::numeric_limits<int>::max();
  static const auto processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(2, processors);
}

/// Has the pages of memory that is about to be written made in one go.
void prepare(const Data& whole) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(whole.buffer) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(whole.buffer) + static_cast<std::uintptr_t>(whole.bytes());
  (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);  // older systems do not know it
#endif
}

/// Memory for all slices of a member.
Offset allocate(Memory& memory, std::int64_t bytes) {
  try {
    return memory.allocate(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc&) {
    end_run("the shared memory for the data of an alltoall is used up", 1);
  }
}

void pack(const Blocks& blocks, int size, Memory& memory, Offset place, bool unmapped) {
  const auto whole = blocks.whole(size);
  if (whole && whole->contiguous() && unmapped) {
    const auto* first = static_cast<const std::byte*>(whole->buffer);
    return channel::copy_in(memory, {first, static_cast<std::size_t>(whole->bytes())}, place);
  }
  std::byte* to = memory.at(place);
  if (whole) return whole->pack_into(to);
  for (int rank = 0; rank < size; ++rank) {
    blocks[rank].pack_into(to);
    to += blocks[rank].bytes();
  }
}

/// Takes a slice, as much of it as fits. @param packed room to unpack it from
void take(const Memory& memory, Offset place, std::int64_t bytes, const Data& into, bool unmapped,
          std::vector<std::byte>& packed) {
  if (!unmapped) return into.unpack_from(memory.at(place), bytes);
  const auto n = static_cast<std::size_t>(std::min(bytes, into.bytes()));
  if (into.contiguous()) return channel::copy_out(memory, place, {static_cast<std::byte*>(into.buffer), n});
  packed.resize(n);
  channel::copy_out(memory, place, packed);
  into.unpack_from(packed.data(), static_cast<std::int64_t>(n));
}

void release_all(Memory& memory, const Round::Slot* slots, int size) {
  for (int rank = 0; rank < size; ++rank) {
    memory.release(slots[rank].place, static_cast<std::size_t>(slots[rank].bytes * size));
  }
}

}  // namespace

bool swaps_on_board(std::int64_t bytes, const Comm& comm) {
  return !comm.is_inter() && comm.size() > 1 && bytes > 0 && bytes <= largest_shared / comm.size();
}

void swap_on_board(const Blocks& send, const Blocks& recv, Comm& comm) {
  Memory& memory = this_rank().memory();
  const int size = comm.size();
  const auto bytes = send[0].bytes();
  const bool much = bytes * size * size > most_mapped;
  const bool unmapped = much && channel::has_descriptor(memory);
  const Offset place = allocate(memory, bytes * size);
  pack(send, size, memory, place, unmapped);
  Round round(comm);
  round.slots()[comm.rank] = {bytes, place};
  round.meet(readers(much));
  if (const auto whole = recv.whole(size); unmapped && whole && whole->contiguous()) prepare(*whole);
  std::optional<Error> error;
  std::vector<std::byte> packed;
  for (int i = 0; i < size; ++i) {
    const int from = (comm.rank + i) % size;  // so that not all read from the same first
    const Round::Slot& slot = round.slots()[from];
    const Data into = recv[from];
    take(memory, slot.place + static_cast<Offset>(slot.bytes * comm.rank), slot.bytes, into, unmapped, packed);
    if (slot.bytes > into.bytes() && !error) error = does_not_fit(slot.bytes, into.bytes());
  }
  if (round.leave()) release_all(memory, round.slots(), size);
  if (error) throw *error;
}

}  // namespace orrery::mpi
