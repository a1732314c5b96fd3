// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/swap.hpp"

#include <cstddef>
#include <new>
#include <optional>

#include "mpi/collective/carry.hpp"
#include "mpi/collective/limits.hpp"
#include "mpi/collective/round.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/process/environment.hpp"

namespace orrery::mpi {

namespace {

using channel::Memory;
using channel::Offset;

/// From so many bytes of all members on, slices are carried: else each member would map a page, and with it sixteen,
/// for each slice, and pages of page tables besides.
constexpr std::int64_t most_mapped = 128 << 20;

/// Memory for all slices of a member.
Offset allocate(Memory& memory, std::int64_t bytes) {
  try {
    return memory.allocate(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc&) {
    end_run("the shared memory for the data of an alltoall is used up", 1);
  }
}

void pack_blocks(const Blocks& blocks, int size, std::byte* to) {
  if (const auto whole = blocks.whole(size)) return whole->pack_into(to);
  for (int rank = 0; rank < size; ++rank) {
    blocks[rank].pack_into(to);
    to += blocks[rank].bytes();
  }
}

/// What a member has for itself is no message.
void keep_own(const Data& from, const Data& to) {
  if (from.buffer != to.buffer) copy(from.buffer, from.count, *from.type, to.buffer, to.count, *to.type);
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
  if (this_rank().payloads().leaves_out(recv[0])) return keep_own(send[comm.rank], recv[comm.rank]);
  if (recv[0].bytes() * size * size > most_mapped && carry_slices(send, recv, comm)) return;
  const auto bytes = send[0].bytes();
  const Offset place = allocate(memory, bytes * size);
  pack_blocks(send, size, memory.at(place));
  Round round(comm);
  round.slots()[comm.rank] = {.bytes = bytes, .place = place, .from = 0, .to = 0};
  round.meet();
  std::optional<Error> error;
  for (int i = 0; i < size; ++i) {
    const int from = (comm.rank + i) % size;  // so that not all read from the same first
    const Round::Slot& slot = round.slots()[from];
    const Data into = recv[from];
    into.unpack_from(memory.at(slot.place + static_cast<Offset>(slot.bytes * comm.rank)), slot.bytes);
    if (slot.bytes > into.bytes() && !error) error = does_not_fit(slot.bytes, into.bytes());
  }
  if (round.leave()) release_all(memory, round.slots(), size);
  if (error) throw *error;
}

}  // namespace orrery::mpi
