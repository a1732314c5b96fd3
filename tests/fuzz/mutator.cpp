// SPDX-License-Identifier: BSD-3-Clause
/// What changes files without checksums: libFuzzer's own ways, and those that know what files are made of.
#include <cstddef>
#include <cstdint>

#include "structured.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  return orrery::fuzz::restructure(data, size, most, seed);
}
