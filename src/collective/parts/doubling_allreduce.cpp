// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/doubling_allreduce.hpp"

#include "collective/parts/fold.hpp"

namespace orrery::collective {

op::Script doubling_allreduce(Call call, Partner partner) {
  const Fold fold(call.self, call.size);
  Accumulator accumulator(call.self, call.commutative, output, scratch);
  co_yield fold_in(fold, &accumulator, call.bytes);
  if (fold.remains()) {
    for (int step = 0; 1 << step < fold.power(); ++step) {
      const int peer = fold.rank(partner(fold.number(), step, fold.power()));
      const Slice arrived{accumulator.incoming(), call.bytes};
      co_yield exchange(peer, {accumulator.value(), call.bytes}, peer, arrived);
      co_yield accumulator.absorb_from(peer, arrived);
    }
    co_yield accumulator.place(output, {accumulator.value(), call.bytes});
  }
  co_yield fold_out(fold, {output, call.bytes});
}

}  // namespace orrery::collective
