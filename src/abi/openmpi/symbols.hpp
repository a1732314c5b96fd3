// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

/// Predefined handles of Open MPI's interface: each is the address of a variable. Which address that is, the loader
/// says: programs that were not compiled for a position of any kind have copies of these variables.
namespace orrery::abi::foreign {

struct Symbol {
  const void* address;
  std::uintptr_t standard;  ///< the handle's value in the standard interface
};

[[nodiscard]] std::span<const Symbol> all_symbols();  ///< generated

/// The standard value of an address; 0 for others.
[[nodiscard]] std::uintptr_t standard_of_symbol(std::uint64_t address);
/// The address of a standard value; 0 for values that the interface does not have.
[[nodiscard]] std::uintptr_t symbol_of_standard(std::uintptr_t value);

}  // namespace orrery::abi::foreign
