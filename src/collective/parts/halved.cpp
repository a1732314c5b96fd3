// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/halved.hpp"

#include <bit>

#include "collective/parts/messages.hpp"

namespace orrery::collective {

Halved::Halved(const Call& call)
    : self_(call.self),
      power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(call.size)))),
      surplus_(call.size - power_),
      element_(call.element),
      elements_(call.bytes.count / call.element) {}

std::vector<Halved::Step> Halved::steps(int number) const {
  std::vector<Step> all;
  std::int64_t first = 0;
  std::int64_t last = elements_;
  for (int distance = 1; distance < power_; distance *= 2) {
    const std::int64_t middle = first + (last - first) / 2;
    const Window lower{first * element_, middle * element_};
    const Window upper{middle * element_, last * element_};
    const bool is_lower = (number & distance) == 0;
    all.push_back({number ^ distance, is_lower ? lower : upper, is_lower ? upper : lower});
    (is_lower ? last : first) = middle;
  }
  return all;
}

op::Script halved_fold(Halved ranks, Region home, Region spare) {
  co_yield copy(home, {input, ranks.bytes()});
  if (!ranks.paired()) co_return;
  const int neighbour = ranks.self() ^ 1;
  const Halved::Window own = ranks.remains() ? ranks.lower_half() : ranks.upper_half();
  const Halved::Window other = ranks.remains() ? ranks.upper_half() : ranks.lower_half();
  co_yield exchange_even_empty(neighbour, other.at(home), neighbour, own.at(spare));
  co_yield combine(own.at(home).region, own.at(spare));
  const Slice upper = ranks.upper_half().at(home);
  co_yield ranks.remains() ? recv(neighbour, upper) : send(neighbour, upper);
}

op::Script halved_reduce_scatter(Halved ranks, Region home, Region spare) {
  for (const Halved::Step& step : ranks.steps(ranks.number())) {
    const int peer = ranks.rank(step.peer);
    co_yield exchange(peer, step.given.at(home), peer, step.kept.at(spare));
    co_yield combine(step.kept.at(home).region, step.kept.at(spare));
  }
}

}  // namespace orrery::collective
