// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "collective/algorithms.hpp"
#include "collective/parts/halved.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::allreduce {

HandOver rabenseifner_hands_over(const Call& call) {
  if (!call.commutative) return {"basic_linear", does_not_commute};
  return elements_of(call) < Halved(call).power() ? HandOver{"basic_linear", fewer_elements_than_ranks} : HandOver{};
}

/// Stream of one rank in an allreduce by Rabenseifner's algorithm as Open MPI does it (`Halved`), the allgather back
/// through the same windows; any size, operations that commute. With fewer elements than ranks that remain, or another
/// operation: linear. p = 3; the vector in halves a, b:
///     0:a↔1:b | 1→0 b | 0:a↔2:b | 0:b↔2:a | 0→1
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script rabenseifner(Call call) {
  const Halved halved(call);
  if (rabenseifner_hands_over(call)) {
    co_yield basic_linear(call);
    co_return;
  }
  co_yield halved_fold(halved, output, scratch);
  if (halved.remains()) {
    co_yield halved_reduce_scatter(halved, output, scratch);
    const auto steps = halved.steps(halved.number());
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const int peer = halved.rank(step->peer);
      co_yield exchange(peer, step->kept.at(output), peer, step->given.at(output));
    }
  }
  if (!halved.paired()) co_return;
  const Slice all{output, call.bytes};
  co_yield halved.remains() ? send(call.self + 1, all) : recv(call.self - 1, all);
}

}  // namespace orrery::collective::allreduce
