// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/object/alignment.hpp"

#include <bit>
#include <charconv>

namespace orrery::mpi {

std::size_t wanted_alignment(const Info* info) {
  const std::string* text = info == nullptr ? nullptr : info->find(alignment_key);
  if (text == nullptr) return 1;
  std::size_t bytes = 0;
  const char* const end = text->data() + text->size();
  const auto [last, error] = std::from_chars(text->data(), end, bytes);
  const bool is_usable = error == std::errc{} && last == end && std::has_single_bit(bytes);
  return is_usable && bytes <= largest_alignment ? bytes : 1;
}

}  // namespace orrery::mpi
