// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/alignment.hpp"
#include "mpi/window/create.hpp"

/// Windows whose memory the library provides: it lies in the memory of the run, which all processes have mapped.
namespace orrery::mpi {
namespace {

void*& pointer_at(void* address) {
  if (address == nullptr) throw Error{err_arg, "baseptr is a null pointer"};
  return *static_cast<void**>(address);
}

std::byte* here(channel::Offset offset) { return offset == 0 ? nullptr : this_rank().memory().at(offset); }

/// This rank's part lies at `offset`.
void place(Window& window, channel::Offset offset) {
  WindowPart& part = window.part(window.self());
  part.shared = offset;
  part.address = reinterpret_cast<std::uint64_t>(here(offset));
  window.base = part.size > 0 ? here(offset) : nullptr;
}

/// Distance from the start of a part of this size to that of the next one.
std::int64_t pace(const Window& window, std::int64_t size) {
  const std::string* apart = hint(window, "alloc_shared_noncontig");
  if (apart == nullptr || *apart != "true") return size;
  constexpr std::size_t line = 64;  // parts of different ranks share no cache line
  const auto unit = static_cast<std::int64_t>(std::max(line, wanted_alignment(window.info)));
  return (size + unit - 1) / unit * unit;
}

void check_one_host(const Comm& comm) {
  const channel::Memory& memory = this_rank().memory();
  for (const std::int32_t world : comm.group->world) {
    if (memory.host_of(world) != memory.host_of(comm.world(0))) {
      throw Error{err_rma_shared, concat("world ranks ", comm.world(0), " and ", world, " are on different hosts")};
    }
  }
}

/// The first rank takes memory for all: one part behind the other (MPI-4.1, section 12.2.3).
void place_all(Window& window) {
  std::int64_t bytes = 0;
  for (const WindowPart& part : window.parts) bytes += pace(window, part.size);
  channel::Offset offset = take_memory(window, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  for (WindowPart& part : window.parts) {
    part.shared = offset;
    offset += static_cast<channel::Offset>(pace(window, part.size));
  }
}

/// The rank that MPI_PROC_NULL stands for: the first with memory.
int first_with_memory(const Window& window) {
  const auto found = std::ranges::find_if(window.parts, [](const WindowPart& part) { return part.size > 0; });
  return found == window.parts.end() ? 0 : static_cast<int>(found - window.parts.begin());
}

}  // namespace

void win_allocate(std::int64_t size, std::int64_t unit, Info* info, Comm& comm, void* base, Window*& window) {
  void*& pointer = pointer_at(base);
  Window* made = make_window(comm, flavor_allocate, size, unit, info);
  place(*made, take_memory(*made, static_cast<std::size_t>(std::max<std::int64_t>(size, 1))));
  open_window(*made);
  pointer = made->base;
  window = made;
}

void win_allocate_shared(std::int64_t size, std::int64_t unit, Info* info, Comm& comm, void* base, Window*& window) {
  void*& pointer = pointer_at(base);
  check_one_host(comm);
  Window* made = make_window(comm, flavor_shared, size, unit, info);
  open_window(*made);  // all sizes are there
  if (made->self() == 0) place_all(*made);
  open_window(*made);
  place(*made, made->part(made->self()).shared);
  pointer = made->base;
  window = made;
}

void win_shared_query(Window& window, int rank, std::int64_t& size, std::int64_t& unit, void* base) {
  void*& pointer = pointer_at(base);
  if (window.flavor == flavor_dynamic) throw Error{err_rma_flavor, "a dynamic window has no memory of its own"};
  if (rank != proc_null && (rank < 0 || rank >= window.comm->size())) {
    throw Error{err_rank, concat("there is no rank ", rank, " in a window of ", window.comm->size())};
  }
  const int owner = rank == proc_null ? first_with_memory(window) : rank;
  const channel::Memory& memory = this_rank().memory();
  const bool near = memory.host_of(window.comm->world(owner)) == memory.host_of(window.comm->world(window.self()));
  const WindowPart& part = window.part(owner);
  const bool reachable = owner == window.self() || (near && part.shared != 0);
  size = reachable ? part.size : 0;
  unit = reachable ? part.unit : 1;
  pointer = nullptr;
  if (size > 0) pointer = part.shared != 0 ? here(part.shared) : window.base;
}

}  // namespace orrery::mpi
