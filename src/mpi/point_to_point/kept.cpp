// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/kept.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

namespace orrery::mpi {

PayloadMemory::PayloadMemory(std::size_t bytes) {
  constexpr std::size_t large = 128 * 1024;  // as for malloc, before it has learned that the program frees such blocks
  if (bytes >= large) {
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
      data_ = static_cast<std::byte*>(pages);
      mapped_ = bytes;
      return;
    }
  }
  data_ = static_cast<std::byte*>(::operator new(bytes));
}

PayloadMemory::PayloadMemory(PayloadMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), mapped_(std::exchange(other.mapped_, 0)) {}

PayloadMemory& PayloadMemory::operator=(PayloadMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

PayloadMemory::~PayloadMemory() {
  if (mapped_ > 0) {
    munmap(data_, mapped_);
  } else {
    ::operator delete(data_);
  }
}

void Kept::Delete::operator()(Kept* kept) const {
  kept->~Kept();
  ::operator delete(kept);
}

void copy_head(const channel::Message& from, channel::Message& to) {
  to.source = from.source;
  to.comm = from.comm;
  to.tag = from.tag;
  to.sequence = from.sequence;
  to.use = from.use;
  to.form = from.form;
  to.pair = from.pair;
  to.bytes = from.bytes;
  to.place = from.place;
  to.ack = from.ack;
}

Kept::Owner Kept::with_payload(const channel::Message& head, std::int64_t payload_bytes) {
  static_assert(alignof(Kept) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  void* memory = ::operator new(sizeof(Kept) + static_cast<std::size_t>(payload_bytes));
  Owner kept(new (memory) Kept);
  copy_head(head, kept->head);
  kept->head.form = channel::Form::Inline;
  return kept;
}

Kept::Owner Kept::copy_of(const channel::Message& record) {
  const bool holds_payload = record.form == channel::Form::Inline;
  Owner kept = with_payload(record, holds_payload ? record.bytes : 0);
  kept->head.form = record.form;
  if (holds_payload && record.bytes > 0) {
    std::memcpy(kept->payload(), inline_payload(record), static_cast<std::size_t>(record.bytes));
  }
  return kept;
}

KeptQueue::~KeptQueue() {
  while (!empty()) (void)remove(*queue_.first());
}

void KeptQueue::append(Kept::Owner owner) { queue_.append(*owner.release()); }

void KeptQueue::insert_by_sequence(Kept::Owner owner) {
  // Sequence numbers wrap around: their distance tells the order.
  const auto follows = [&](const channel::Message& head) {
    return static_cast<std::int32_t>(head.sequence - owner->head.sequence) > 0;
  };
  Kept* after = find(follows);
  if (after == nullptr) return append(std::move(owner));
  queue_.insert(*owner.release(), *after);
}

Kept* KeptQueue::first_of_tag(int tag) {
  return queue_.first_of_tag(tag, [](const Kept&, const Kept&) { return true; });  // no message is of any tag
}

Kept::Owner KeptQueue::remove(Kept& kept) {
  queue_.remove(kept);
  return Kept::Owner(&kept);
}

}  // namespace orrery::mpi
