// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/fold.hpp"

namespace orrery::collective {

op::Script fold_in(Fold fold, Accumulator* accumulator, Bytes bytes) {
  if (!fold.paired()) co_return;
  if (fold.remains()) {
    const Slice arrived{accumulator->incoming(), bytes};
    co_yield recv(fold.neighbour(), arrived);
    co_yield accumulator->absorb_from(fold.neighbour(), arrived);
  } else {
    co_yield send(fold.neighbour(), {accumulator->value(), bytes});
  }
}

op::Batch<1> fold_out(const Fold& fold, Slice result) {
  if (!fold.paired()) return {};
  return fold.remains() ? send(fold.neighbour(), result) : recv(fold.neighbour(), result);
}

}  // namespace orrery::collective
