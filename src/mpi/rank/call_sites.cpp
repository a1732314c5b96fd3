// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/call_sites.hpp"

#include <link.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <new>

#include "mpi/channel/sites.hpp"

namespace orrery::mpi {
namespace {

struct Module {
  std::uintptr_t address;
  std::uintptr_t start = 0;  ///< where it was loaded
  const char* name = nullptr;
};

int look_into(dl_phdr_info* info, std::size_t /*size*/, void* wanted) {
  auto& module = *static_cast<Module*>(wanted);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || module.address - (info->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    module.start = info->dlpi_addr;
    module.name = info->dlpi_name;
    return 1;
  }
  return 0;
}

}  // namespace

std::uint32_t CallSites::number(const void* address) {
  if (address == nullptr) return 0;
  if (2 * used_ >= table_.size()) grow();
  Known& known = slot(address);
  if (known.address == nullptr) {
    known = {address, add(address)};
    ++used_;
  }
  return known.number;
}

CallSites::Known& CallSites::slot(const void* address) {
  const std::size_t mask = table_.size() - 1;
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;  // spreads what differs in low bits over the high ones
  std::size_t at = reinterpret_cast<std::uintptr_t>(address) * odd >> 32 & mask;
  while (table_[at].address != nullptr && table_[at].address != address) at = (at + 1) & mask;
  return table_[at];
}

void CallSites::grow() {
  std::vector<Known> old(table_.empty() ? 64 : 2 * table_.size());
  old.swap(table_);
  for (const Known& known : old) {
    if (known.address != nullptr) slot(known.address) = known;
  }
}

/// The call itself lies before the address that it returns to.
std::uint32_t CallSites::add(const void* address) {
  Module module{.address = reinterpret_cast<std::uintptr_t>(address) - 1};
  dl_iterate_phdr(look_into, &module);
  const std::uintptr_t offset = module.address - module.start;
  if (module.name == nullptr || offset > INT_MAX) return 0;
  std::array<char, PATH_MAX> program{};
  if (module.name[0] != '/' && readlink("/proc/self/exe", program.data(), program.size() - 1) > 0)
    module.name = program.data();
  try {
    return channel::site(memory_, module.name, static_cast<std::int32_t>(offset), channel::SiteKind::Call,
                         [] { return channel::Offset{0}; })
        .number;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // namespace orrery::mpi
