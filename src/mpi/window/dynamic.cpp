// SPDX-License-Identifier: BSD-3-Clause
#include <iterator>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/window/create.hpp"

/// Windows to which memory is attached (MPI-4.1, section 12.2.4). Displacements are addresses in the target's process.
/// What is attached is known to its owner only; an access outside of the process's memory is an error.
namespace orrery::mpi {
namespace {

void check_dynamic(const Window& window) {
  if (window.flavor != flavor_dynamic) throw Error{err_rma_flavor, "memory is attached to dynamic windows only"};
}

bool overlaps(const Window& window, std::uint64_t address, std::int64_t size) {
  const auto after = window.attached.lower_bound(address);
  const std::uint64_t end = address + static_cast<std::uint64_t>(size);
  if (after != window.attached.end() && after->first < end) return true;
  if (after == window.attached.begin()) return false;
  const auto before = std::prev(after);
  return before->first + static_cast<std::uint64_t>(before->second) > address;
}

}  // namespace

void win_create_dynamic(Info* info, Comm& comm, Window*& window) {
  Window* made = make_window(comm, flavor_dynamic, 0, 1, info);
  open_window(*made);
  window = made;
}

void win_attach(Window& window, void* base, std::int64_t size) {
  check_dynamic(window);
  if (size < 0) throw Error{err_size, concat("memory of ", size, " bytes")};
  if (size == 0) return;
  const auto address = reinterpret_cast<std::uint64_t>(base);
  if (base == nullptr || overlaps(window, address, size)) {
    throw Error{err_rma_attach, base == nullptr ? "the memory is a null pointer" : "the memory is attached already"};
  }
  window.attached.emplace(address, size);
}

void win_detach(Window& window, const void* base) {
  check_dynamic(window);
  if (base == nullptr) return;
  if (window.attached.erase(reinterpret_cast<std::uint64_t>(base)) == 0) {
    throw Error{err_rma_attach, "the memory is not attached"};
  }
}

}  // namespace orrery::mpi
