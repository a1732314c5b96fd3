// SPDX-License-Identifier: BSD-3-Clause
#include "collective/algorithms.hpp"
#include "collective/parts/halved.hpp"
#include "collective/parts/hand_over.hpp"
#include "collective/parts/messages.hpp"

namespace orrery::collective::reduce {

HandOver rabenseifner_hands_over(const Call& call) {
  if (!call.commutative) return {"linear", does_not_commute};
  const int power = Halved(call).power();
  return power < 2 || elements_of(call) < power ? HandOver{"linear", fewer_elements_than_ranks} : HandOver{};
}

/// Stream of one rank in a reduction by Rabenseifner's algorithm as Open MPI does it (`Halved`), windows gathered along
/// a binomial tree; any size and root, operations that commute. A root that does not remain takes the place of rank 0
/// after the reduce-scatter. With fewer elements than ranks that remain, or another operation: linear. p = 4, root 0;
/// quarters a, b, c, d:
///     0:ab↔1:cd 2:ab↔3:cd | 0:a↔2:b 1:c↔3:d | 2→0 b 3→1 d | 1→0 cd
/// Cost, p a power of two: 2 log2 p · α + (p − 1)/p · n(2β + γ), n in bytes.
/// Source: Rabenseifner 2004, doi:10.1007/978-3-540-24685-5_1
op::Script rabenseifner(Call call) {
  const Halved halved(call);
  if (rabenseifner_hands_over(call)) {
    co_yield linear(call);
    co_return;
  }
  const bool is_root = call.self == call.root;
  const Region home = is_root ? output : scratch + call.bytes;
  co_yield halved_fold(halved, home, scratch);
  if (halved.remains()) co_yield halved_reduce_scatter(halved, home, scratch);

  const bool replaced = halved.dropped(call.root);  // the root gathers as number 0
  const int top = replaced ? 0 : halved.number(call.root);
  const bool gathers = is_root || (halved.remains() && !(replaced && call.self == 0));
  const int number = is_root ? top : halved.number();
  auto steps = halved.steps(number);
  if (replaced) {
    const Slice window = halved.steps(0).back().kept.at(home);
    if (call.self == 0) co_yield send(call.root, window);
    if (is_root) co_yield recv(0, window);
  }
  if (!gathers) co_return;
  for (auto step = steps.size(); step-- > 0;) {
    const int peer = replaced && steps[step].peer == 0 ? call.root : halved.rank(steps[step].peer);
    // Who shares the bits from this one up with the root goes on; the partner hands its window over.
    const bool peer_is_nearer = ((steps[step].peer ^ top) >> step) == 0;
    if (peer_is_nearer) {
      co_yield send(peer, steps[step].kept.at(home));
      co_return;
    }
    co_yield recv(peer, steps[step].given.at(home));
  }
}

}  // namespace orrery::collective::reduce
