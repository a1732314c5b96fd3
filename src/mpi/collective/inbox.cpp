// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/inbox.hpp"

namespace orrery::mpi {
namespace {

CollectiveInbox::Key collective_key_of(const channel::Message& head) {
  return {head.source, head.comm, head.tag, head.sequence};
}

}  // namespace

std::size_t CollectiveInbox::Hash::operator()(const Key& key) const {
  // Multiplication by odd constants spreads what are small consecutive numbers (Knuth, TAOCP 3, section 6.4).
  std::uint64_t hash = static_cast<std::uint32_t>(key.source);
  for (const std::uint64_t part :
       {std::uint64_t{key.comm}, std::uint64_t{static_cast<std::uint32_t>(key.call)}, std::uint64_t{key.part}}) {
    hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15u + part;
  }
  return hash ^ (hash >> 32);
}

void CollectiveInbox::arrived(const channel::Message& record) {
  using Delivery = CollectiveListener::Delivery;
  auto delivery = Delivery::Refused;
  for (CollectiveListener* listener : listeners_) {
    if (listener->listens_to(record.comm, record.tag, record.sequence)) delivery = listener->deliver(record);
    if (delivery != Delivery::Refused) break;
  }
  if (delivery == Delivery::Read) return;
  has_unfetched_ |= record.form == channel::Form::Pull;
  if (delivery == Delivery::Refused) messages_.emplace(collective_key_of(record), Kept::copy_of(record));
}

void CollectiveInbox::fetch_ahead(Payloads& payloads) {
  for (auto& [key, kept] : messages_) payloads.fetch_ahead(*kept);
  for (CollectiveListener* listener : listeners_) listener->fetch_ahead(payloads);
  has_unfetched_ = false;
}

Kept* CollectiveInbox::find(const Key& key) {
  const auto found = messages_.find(key);
  return found == messages_.end() ? nullptr : found->second.get();
}

Kept::Owner CollectiveInbox::remove(Kept& kept) {
  auto [here, end] = messages_.equal_range(collective_key_of(kept.head));
  while (here != end && here->second.get() != &kept) ++here;
  Kept::Owner message = std::move(here->second);
  messages_.erase(here);
  return message;
}

}  // namespace orrery::mpi
