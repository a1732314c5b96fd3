// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/sparbit.hpp"

#include <bit>

#include "collective/parts/messages.hpp"
#include "collective/parts/root.hpp"

namespace orrery::collective {
namespace {

/// Whether a step of this distance leaves one block out, which arrives in the next one.
bool leaves_one_out(unsigned size, unsigned distance) {
  const int shift = std::countr_zero(size);
  const unsigned bits = (~(size >> shift) | 1U) << shift;
  return (distance & bits) == distance;
}

}  // namespace

op::Script sparbit_allgather(int self, Blocks blocks) {
  const int size = blocks.count();
  const auto wrap = [size](int rank) { return (rank % size + size) % size; };
  co_yield copy(blocks.at(output, self).region, {input, blocks.bytes(self)});
  Started step;
  int have = 1;
  for (int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) / 2; distance > 0; distance /= 2) {
    const int left_out = leaves_one_out(static_cast<unsigned>(size), static_cast<unsigned>(distance)) ? 1 : 0;
    for (int i = 0; i < have - left_out; ++i) {
      const int sent = wrap(self - 2 * i * distance);
      const int received = wrap(self - (2 * i + 1) * distance);
      co_yield step.isend_even_empty(after(self, distance, size), blocks.at(output, sent));
      co_yield step.irecv_even_empty(before(self, distance, size), blocks.at(output, received));
    }
    co_yield step.wait_all();
    have = 2 * have - left_out;
  }
}

}  // namespace orrery::collective
