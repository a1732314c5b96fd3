// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned/inbox.hpp"

namespace orrery::mpi {
namespace {

constexpr int comm_bits = 20;
static_assert(channel::max_comms <= 1u << comm_bits);
constexpr int field_bits = 16;

}  // namespace

void address(const PairKey& key, channel::Message& head) {
  head.source = key.source;
  head.comm = key.comm | key.pair >> field_bits << comm_bits;
  head.tag = key.tag;
  head.use = channel::Use::Partition;
  head.pair = static_cast<std::uint16_t>(key.pair);
}

PairKey key_of(const channel::Message& head) {
  return {.source = head.source,
          .comm = head.comm & ((1u << comm_bits) - 1),
          .tag = head.tag,
          .pair = head.comm >> comm_bits << field_bits | head.pair};
}

std::size_t PartitionInbox::Hash::operator()(const PairKey& key) const {
  // Multiplication by an odd constant spreads what are small consecutive numbers (Knuth, TAOCP 3, section 6.4).
  std::uint64_t hash = static_cast<std::uint32_t>(key.source);
  for (const std::uint32_t part : {key.comm, static_cast<std::uint32_t>(key.tag), key.pair})
    hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15u + part;
  return hash ^ (hash >> 32);
}

void PartitionInbox::arrived(const channel::Message& record) {
  has_unfetched_ |= record.form == channel::Form::Pull;
  queues_[key_of(record)].append(Kept::copy_of(record));
}

Kept* PartitionInbox::oldest(const PairKey& key) const {
  const auto found = queues_.find(key);
  return found == queues_.end() ? nullptr : found->second.find([](const channel::Message&) { return true; });
}

Kept::Owner PartitionInbox::take(const PairKey& key) {
  const auto queue = queues_.find(key);
  Kept::Owner message = queue->second.remove(*oldest(key));
  if (queue->second.empty()) queues_.erase(queue);
  return message;
}

void PartitionInbox::fetch_ahead(Payloads& payloads) {
  for (auto& [key, queue] : queues_) queue.for_each([&](Kept& kept) { payloads.fetch_ahead(kept); });
  has_unfetched_ = false;
}

}  // namespace orrery::mpi
