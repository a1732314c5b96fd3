// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/create.hpp"

#include <algorithm>
#include <new>

#include "base/error.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/alignment.hpp"
#include "mpi/object/info.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/window/synchronise.hpp"

namespace orrery::mpi {
namespace {

/// Memory of a window that is large enough to be worth giving back to the system.
constexpr std::size_t large_memory = std::size_t{1} << 20;

std::size_t table_bytes(const Comm& comm) { return sizeof(WindowPart) * static_cast<std::size_t>(comm.size()); }

channel::Offset allocate_shared(std::size_t bytes) {
  try {
    return this_rank().memory().allocate(bytes);
  } catch (const std::bad_alloc&) {
    throw Error{err_no_mem, concat("there are no ", bytes, " bytes of shared memory left")};
  }
}

/// The first rank makes the table and tells the others where it is.
void share_table(Window& window) {
  channel::Memory& memory = this_rank().memory();
  if (window.self() == 0) {
    window.table = allocate_shared(table_bytes(*window.comm));
    WindowPart* parts = memory.as<WindowPart>(window.table);
    for (int rank = 0; rank < window.comm->size(); ++rank) new (parts + rank) WindowPart{};
  }
  bcast(&window.table, sizeof window.table, type_byte(), 0, *window.comm);
  window.parts = {memory.as<WindowPart>(window.table), static_cast<std::size_t>(window.comm->size())};
}

/// Gives up what a window has, when it ends.
void dispose(Window* window) {
  channel::Memory& memory = this_rank().memory();
  if (window->memory != 0) {
    if (window->memory_bytes >= large_memory) memory.discard(window->memory, window->memory_bytes);
    memory.release(window->memory, window->memory_bytes);
  }
  if (window->self() == 0) memory.release(window->table, table_bytes(*window->comm));
  release(*window->comm);
  if (window->errhandler != nullptr) release(*window->errhandler);
  delete window->info;
  delete window;
}

}  // namespace

Window* make_window(Comm& comm, int flavor, std::int64_t size, std::int64_t unit, Info* info) {
  check_intra(comm);
  if (size < 0) throw Error{err_size, concat("a window of ", size, " bytes")};
  if (unit <= 0) throw Error{err_disp, concat("the unit of displacements is ", unit, " bytes")};
  auto window = std::make_unique<Window>();
  window->comm = hidden_dup(comm);
  window->flavor = flavor;
  window->size = size;
  window->unit = static_cast<int>(unit);
  win_set_info(*window, info);
  (void)this_rank().payloads().receivers_can_pull();  // asking is what lets others reach this process
  this_rank().memory().header().windows.store(1, std::memory_order_relaxed);
  share_table(*window);
  WindowPart& part = window->part(window->self());
  part.size = size;
  part.unit = unit;
  return window.release();
}

const std::string* hint(const Window& window, const char* key) {
  return window.info != nullptr ? window.info->find(key) : nullptr;
}

channel::Offset take_memory(Window& window, std::size_t bytes) {
  constexpr std::size_t least = 64;  // of the arena
  const std::size_t alignment = std::max(least, wanted_alignment(window.info));
  window.memory_bytes = bytes + (alignment - least);
  window.memory = allocate_shared(window.memory_bytes);
  // Offsets are as well aligned as addresses: in each process the memory of the run begins with a huge page.
  return (window.memory + alignment - 1) / alignment * alignment;
}

void open_window(Window& window) { barrier(*window.comm); }

void win_create(void* base, std::int64_t size, std::int64_t unit, Info* info, Comm& comm, Window*& window) {
  if (base == nullptr && size > 0) throw Error{err_arg, "the window's memory is a null pointer"};
  Window* made = make_window(comm, flavor_create, size, unit, info);
  made->base = base;
  made->part(made->self()).address = reinterpret_cast<std::uint64_t>(base);
  open_window(*made);
  window = made;
}

void win_free(Window*& window) {
  check_may_end(*window);
  delete_attributes(window->attributes, window->abi_handle);
  complete_all_targets(*window);
  barrier(*window->comm);
  dispose(std::exchange(window, nullptr));
}

void win_get_group(Window& window, Group*& group) { comm_group(*window.comm, group); }

}  // namespace orrery::mpi
