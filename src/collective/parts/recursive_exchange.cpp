// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/recursive_exchange.hpp"

#include <algorithm>

namespace orrery::collective {

RecursiveExchange::RecursiveExchange(int self, int size, int k) : self_(self), k_(std::max(2, std::min(k, size))) {
  for (; power_ <= size / k_; power_ *= k_) ++phases_;
  surplus_ = size - power_;
  // Whole groups of k ranks first; the rest of the surplus hands over to the first rank after them.
  const int in_groups = surplus_ * k_ / (k_ - 1);
  number_ = self < in_groups ? self / k_ : self - surplus_;
}

int RecursiveExchange::partner(int number, int phase, int digit) const {
  int unit = 1;
  for (int i = 0; i < phase; ++i) unit *= k_;
  return number + (digit - number / unit % k_) * unit;
}

int RecursiveExchange::reversed(int number) const {
  int result = 0;
  for (int i = 0; i < phases_; ++i, number /= k_) result = result * k_ + number % k_;
  return result;
}

BlockRange RecursiveExchange::known(int number, int phase) const {
  int length = 1;
  for (int i = 0; i < phase; ++i) length *= k_;
  const int first = number / length * length;
  return {first, first + length};
}

namespace {

/// What a number knows at the beginning of a phase of the allgather.
struct Known {
  RecursiveExchange exchange;
  Blocks blocks;
  bool by_number;
  Distance distance;

  [[nodiscard]] int digit(int phase) const {
    return distance == Distance::Shrinking ? exchange.phases() - 1 - phase : phase;
  }
  [[nodiscard]] Slice at(Region base, int number, int phase) const {
    const BlockRange numbers =
        exchange.known(distance == Distance::Shrinking ? exchange.reversed(number) : number, phase);
    return blocks.range(base, by_number ? numbers : exchange.ranks(numbers));
  }
};

}  // namespace

op::Script exchange_phases(RecursiveExchange exchange, Blocks blocks, bool by_number, Distance distance) {
  const Known known{exchange, blocks, by_number, distance};
  const int self = exchange.number();
  Started started;
  for (int phase = 0; phase < exchange.phases(); ++phase) {
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, known.digit(phase), i);
      if (peer != self) co_yield started.irecv_even_empty(exchange.rank(peer), known.at(output, peer, phase));
    }
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, known.digit(phase), i);
      if (peer != self) co_yield started.isend_even_empty(exchange.rank(peer), known.at(output, self, phase));
    }
    co_yield started.wait_all();
  }
}

op::Script exchange_reduction(RecursiveExchange exchange, Blocks blocks, bool by_number, Distance distance, Region sums,
                              Region arrived) {
  const Known known{exchange, blocks, by_number, distance};
  const int self = exchange.number();
  for (int phase = exchange.phases() - 1; phase >= 0; --phase) {
    for (int i = 0; i < exchange.radix(); ++i) {
      const int peer = exchange.partner(self, known.digit(phase), i);
      if (peer == self) continue;
      const int rank = exchange.rank(peer);
      const Slice in = known.at(arrived, self, phase);
      co_yield exchange_even_empty(rank, known.at(sums, peer, phase), rank, in);
      co_yield combine(known.at(sums, self, phase).region, in);
    }
  }
}

op::Script exchange_fold(RecursiveExchange exchange, int self, Slice sum, Region arrived) {
  if (!exchange.remains()) {
    co_yield send(exchange.rank(exchange.number()), {input, sum.bytes});
    co_return;
  }
  co_yield copy(sum.region, {input, sum.bytes});
  for (int rank = self - 1; rank >= exchange.first_of_group(); --rank) {
    co_yield recv(rank, {arrived, sum.bytes});
    co_yield combine(sum.region, {arrived, sum.bytes});
  }
}

op::Script exchange_unfold(RecursiveExchange exchange, int self, Slice result) {
  if (!exchange.remains()) {
    co_yield recv(exchange.rank(exchange.number()), result);
    co_return;
  }
  Started started;
  for (int rank = self - 1; rank >= exchange.first_of_group(); --rank) co_yield started.isend(rank, result);
  co_yield started.wait_all();
}

op::Script exchange_allgather(int self, Blocks blocks, int k, Distance distance) {
  const RecursiveExchange exchange(self, blocks.count(), k);
  if (!exchange.remains()) {
    co_yield send_even_empty(exchange.rank(exchange.number()), blocks.at(output, self));
    co_yield exchange_unfold(exchange, self, blocks.all(output));
    co_return;
  }
  Started started;
  for (int rank = self - 1; rank >= exchange.first_of_group(); --rank)
    co_yield started.irecv_even_empty(rank, blocks.at(output, rank));
  co_yield started.wait_all();
  const int opposite = exchange.reversed(exchange.number());
  if (distance == Distance::Shrinking && opposite != exchange.number()) {
    const auto group = [&](int number) { return blocks.range(output, exchange.ranks(exchange.known(number, 0))); };
    const int peer = exchange.rank(opposite);
    co_yield exchange_even_empty(peer, group(exchange.number()), peer, group(opposite));
  }
  co_yield exchange_phases(exchange, blocks, false, distance);
  co_yield exchange_unfold(exchange, self, blocks.all(output));
}

op::Script exchange_reduce_scatter(int self, RecursiveExchange exchange, Blocks blocks) {
  const Slice sums = blocks.all(scratch);
  if (sums.bytes.count == 0) co_return;
  const Region arrived = scratch + sums.bytes;
  co_yield exchange_fold(exchange, self, sums, arrived);
  if (!exchange.remains()) {
    co_yield recv_even_empty(exchange.rank(exchange.number()), {output, blocks.bytes(self)});
    co_return;
  }
  co_yield exchange_reduction(exchange, blocks, false, Distance::Growing, scratch, arrived);
  co_yield copy(output, blocks.at(scratch, self));
  Started started;
  for (int rank = self - 1; rank >= exchange.first_of_group(); --rank)
    co_yield started.isend_even_empty(rank, blocks.at(scratch, rank));
  co_yield started.wait_all();
}

}  // namespace orrery::collective
