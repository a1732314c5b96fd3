// SPDX-License-Identifier: BSD-3-Clause
#include "symbols.hpp"

#include <array>

#include "special.hpp"

namespace orrery::abi::foreign {

namespace {

/// All predefined handles, found by address or by standard value: made once, then only read.
class Symbols {
 public:
  Symbols() {
    for (const Symbol& symbol : all_symbols()) {
      by_value_[symbol.standard] = reinterpret_cast<std::uintptr_t>(symbol.address);
      add(symbol);
    }
    add({ompi_mpi_errors_throw_exceptions, errors_throw_exceptions});
  }

  [[nodiscard]] std::uintptr_t standard(std::uintptr_t address) const {
    for (std::size_t i = slot(address); by_address_[i].address != nullptr; i = next(i)) {
      if (reinterpret_cast<std::uintptr_t>(by_address_[i].address) == address) return by_address_[i].standard;
    }
    return 0;
  }

  [[nodiscard]] std::uintptr_t address(std::uintptr_t value) const { return value < values ? by_value_[value] : 0; }

 private:
  void add(const Symbol& symbol) {
    std::size_t i = slot(reinterpret_cast<std::uintptr_t>(symbol.address));
    while (by_address_[i].address != nullptr) i = next(i);
    by_address_[i] = symbol;
  }

  static constexpr std::size_t slots = 1024;    // a power of two, several times the number of handles
  static constexpr std::size_t values = 0x300;  // above all standard ones

  static std::size_t slot(std::uintptr_t address) {
    return (address >> 5) * 0x9e3779b97f4a7c15ULL >> 54;  // the upper 10 bits
  }
  static std::size_t next(std::size_t i) { return (i + 1) % slots; }

  std::array<Symbol, slots> by_address_{};
  std::array<std::uintptr_t, values> by_value_{};
};

const Symbols& all() {
  static const Symbols symbols;
  return symbols;
}

}  // namespace

std::uintptr_t standard_of_symbol(std::uint64_t address) { return all().standard(address); }

std::uintptr_t symbol_of_standard(std::uintptr_t value) { return all().address(value); }

}  // namespace orrery::abi::foreign
