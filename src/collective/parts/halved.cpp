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

op::Script Halved::fold(Region home, Region spare) const {
  const Halved self = *this;
  const std::int64_t middle = self.elements_ / 2 * self.element_;
  const Window lower{0, middle};
  const Window upper{middle, self.elements_ * self.element_};
  co_yield copy(home, {input, {upper.last}});
  if (!self.paired()) co_return;
  const int neighbour = self.self_ ^ 1;
  const Window own = self.remains() ? lower : upper;
  const Window other = self.remains() ? upper : lower;
  co_yield exchange_even_empty(neighbour, other.at(home), neighbour, own.at(spare));
  co_yield combine(own.at(home).region, own.at(spare));
  co_yield self.remains() ? recv(neighbour, upper.at(home)) : send(neighbour, upper.at(home));
}

op::Script Halved::reduce_scatter(Region home, Region spare) const {
  const Halved self = *this;
  for (const Step& step : self.steps(self.number())) {
    const int peer = self.rank(step.peer);
    co_yield exchange(peer, step.given.at(home), peer, step.kept.at(spare));
    co_yield combine(step.kept.at(home).region, step.kept.at(spare));
  }
}

}  // namespace orrery::collective
