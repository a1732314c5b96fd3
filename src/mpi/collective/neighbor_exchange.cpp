// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/neighbor_exchange.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {

namespace {

template <class Slots, class DataOf>
std::int64_t total_bytes(const Slots& slots, DataOf data_of) {
  std::int64_t total = 0;
  for (const auto& slot : slots) total += data_of(slot).bytes();
  return total;
}

}  // namespace

NeighborExchange::NeighborExchange(op::CollectiveKind kind, bool one_block, Blocks send, Blocks recv,
                                   const Neighbors& neighbors, Comm& comm)
    : Repeatable(comm), send_(std::move(send)), recv_(std::move(recv)), one_block_(one_block) {
  const auto slot = [](const std::vector<int>& ranks, int position) {
    return Slot{ranks[static_cast<std::size_t>(position)], position};
  };
  for (int i = 0; i < static_cast<int>(neighbors.destinations.size()); ++i) {
    if (neighbors.destinations[static_cast<std::size_t>(i)] != proc_null) {
      destinations_.push_back(slot(neighbors.destinations, i));
    }
  }
  for (const int i : neighbors.source_order) {
    if (neighbors.sources[static_cast<std::size_t>(i)] != proc_null) sources_.push_back(slot(neighbors.sources, i));
  }
  time(kind);
  std::ranges::stable_sort(destinations_, {}, &Slot::rank);
  std::ranges::stable_sort(sources_, {}, &Slot::rank);
}

void NeighborExchange::time(op::CollectiveKind kind) {
  auto& counts = timed_counts();
  counts.push_back(static_cast<std::int64_t>(destinations_.size()));
  const auto add = [&](int rank, const Data& data) {
    counts.push_back(rank);
    counts.push_back(data.bytes());
  };
  for (const Slot& slot : destinations_) add(slot.rank, to(slot));
  for (const Slot& slot : sources_) add(slot.rank, from(slot));
  time_as(kind, 0, total_bytes(destinations_, [this](const Slot& slot) { return to(slot); }), std::int64_t{1});
}

NeighborExchange::Slots NeighborExchange::of_rank(const std::vector<Slot>& slots, int rank) {
  const auto found = std::ranges::equal_range(slots, rank, {}, &Slot::rank);
  return {found.begin(), found.end()};
}

void NeighborExchange::begin() {
  for (auto first = destinations_.begin(); first != destinations_.end();) {
    const auto slots = of_rank(destinations_, first->rank);
    if (first->rank != self()) post_to(first->rank, slots);
    first += static_cast<std::ptrdiff_t>(slots.size());
  }
  if (sources_.empty()) return;
  await(sources_.front().rank, sources_.back().rank + 1, Order::OfArrival);
}

void NeighborExchange::post_to(int rank, Slots slots) {
  const auto bytes = total_bytes(slots, [this](const Slot& slot) { return to(slot); });
  if (bytes == 0) return;
  if (slots.size() == 1) return post(rank, to(slots.front()));
  auto& packed = packed_.emplace_back(static_cast<std::size_t>(bytes));
  std::byte* place = packed.data();
  for (const Slot& slot : slots) {
    to(slot).pack_into(place);
    place += to(slot).bytes();
  }
  post(rank, Data::of(packed));
}

bool NeighborExchange::expects(int rank) const {
  return total_bytes(of_rank(sources_, rank), [this](const Slot& slot) { return from(slot); }) > 0;
}

void NeighborExchange::receive(int rank, Piece piece) {
  const auto slots = of_rank(sources_, rank);
  if (slots.size() == 1) return store(piece, from(slots.front()));
  std::vector<std::byte> packed(static_cast<std::size_t>(piece.bytes()));
  std::span<const std::byte> rest = packed;
  piece.read(Data::of(packed));
  for (const Slot& slot : slots) {
    const Data block = from(slot);
    const auto bytes = std::min(block.bytes(), static_cast<std::int64_t>(rest.size()));
    block.unpack_from(rest.data(), bytes);
    rest = rest.subspan(static_cast<std::size_t>(bytes));
  }
  if (!rest.empty()) fail({err_truncate, concat("rank ", rank, " sent ", rest.size(), " bytes more than fit")});
}

void NeighborExchange::receive_own() {
  const auto sent = of_rank(destinations_, self());
  const auto received = of_rank(sources_, self());
  for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i) store_own(to(sent[i]), from(received[i]));
}

}  // namespace orrery::mpi
