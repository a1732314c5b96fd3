// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <new>

namespace orrery::mpi::channel {
Computation Computation::of(double compute_s, std::uint32_t site) {
  constexpr double longest_s = static_cast<double>(std::uint64_t{1} << ns_bits) * 1e-9;
  Computation made;
  made.bits_ = std::bit_cast<std::uint64_t>(compute_s);
  if (site == 0 || site >> site_bits != 0 || !(compute_s >= 0 && compute_s < longest_s)) return made;
  const auto ns = static_cast<std::uint64_t>(std::llround(compute_s * 1e9));
  if (static_cast<double>(ns) * 1e-9 != compute_s) return made;
  made.bits_ = std::uint64_t{1} << 63 | std::uint64_t{site} << ns_bits | ns;
  return made;
}

double Computation::seconds() const {
  if (bits_ >> 63 == 0) return std::bit_cast<double>(bits_);
  return static_cast<double>(bits_ & ((std::uint64_t{1} << ns_bits) - 1)) * 1e-9;
}

std::uint32_t Computation::site() const {
  if (bits_ >> 63 == 0) return 0;
  return static_cast<std::uint32_t>(bits_ >> ns_bits & ((std::uint64_t{1} << site_bits) - 1));
}

RankEnd::RankEnd(Memory& memory, int world_rank)
    : memory_(memory), rank_(world_rank), block_(memory.block(world_rank)) {}

bool RankEnd::has_room() {
  const std::uint32_t tail = block_.ring_tail.load(std::memory_order_relaxed);
  constexpr std::uint32_t most = ring_records - 1;  // an operation may take two records
  if (tail - head_seen_ < most) return true;
  head_seen_ = block_.ring_head.load(std::memory_order_acquire);
  return tail - head_seen_ < most;
}

void RankEnd::push(const op::Operation& operation) {
  std::uint32_t tail = block_.ring_tail.load(std::memory_order_relaxed);
  const op::Measurement& how = operation.measured;
  if (how.faults != 0 || how.instructions != 0 || how.warm != 0) {
    Record& measured = block_.ring[tail++ % ring_records];
    measured.kind = measurement;
    measured.bytes = static_cast<std::int64_t>(how.instructions);
    measured.element = how.faults;
    measured.tag = how.warm;
  }
  Record& record = block_.ring[tail % ring_records];
  record.kind = operation.kind;
  record.mode = operation.mode;
  record.collective = operation.collective;
  record.flags = operation.flags;
  record.routine = operation.routine;
  record.algorithm = operation.algorithm;
  record.peer = operation.peer;
  record.tag = operation.tag;
  record.comm = operation.comm;
  record.request = operation.request;
  record.computation = Computation::of(operation.compute_s, operation.measured.site);
  record.bytes = operation.bytes.count;
  record.element = static_cast<std::uint32_t>(operation.element);
  record.far = {.list = 0, .extent = operation.extent};
  if (op::is_one_sided(operation.kind)) record.effect = operation.element;
  if (takes_requests(operation.kind)) {
    const auto& requests = operation.requests;
    record.list_length = static_cast<std::uint32_t>(requests.size());
    if (requests.size() > inline_requests) {
      record.far.list = memory_.allocate(requests.size_bytes());
      std::memcpy(memory_.at(record.far.list), requests.data(), requests.size_bytes());
    } else if (!requests.empty()) {
      std::memcpy(record.requests, requests.data(), requests.size_bytes());
    }
  } else {
    record.list_length = static_cast<std::uint32_t>(operation.counts.size());
    if (!operation.counts.empty()) {
      record.far.list = memory_.allocate(operation.counts.size_bytes());
      std::memcpy(memory_.at(record.far.list), operation.counts.data(), operation.counts.size_bytes());
    }
  }
  block_.ring_tail.store(tail + 1, std::memory_order_release);
}

void RankEnd::wake_kernel() {
  Header& header = memory_.header();
  // Pairs with the fence in the kernel's `prepare`: it sees our operations, or we see that it wants them.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::int32_t wanted = header.kernel_wants.load(std::memory_order_relaxed);
  if (wanted == rank_ || wanted == wants_anyone) header.kernel_doorbell.ring();
}

std::uint32_t RankEnd::replies() const { return block_.replies.load(std::memory_order_acquire); }

const ReplySlot& RankEnd::reply() const { return block_.reply; }

const ThreadAnswer& RankEnd::thread_answer(std::uint32_t number) {
  auto& place = block_.threads[number - 1];
  if (place.load(std::memory_order_relaxed) == 0) {
    const Offset made = memory_.allocate(sizeof(ThreadAnswer));
    new (memory_.at(made)) ThreadAnswer{};
    place.store(made, std::memory_order_release);
  }
  return *memory_.as<ThreadAnswer>(place.load(std::memory_order_relaxed));
}

bool RankEnd::try_post(int dest, const Message& head, std::span<const std::byte> payload) {
  RankBlock& block = memory_.block(dest);
  std::byte* inbox = memory_.inbox(dest);
  const auto size = static_cast<std::uint32_t>(round_up(sizeof(Message) + payload.size(), 16));
  std::uint32_t tail = block.inbox_tail.load(std::memory_order_relaxed);
  std::uint32_t filler = 0;
  do {
    const std::uint32_t to_end = inbox_bytes - tail % inbox_bytes;
    filler = to_end < size ? to_end : 0;
    const std::uint32_t used = tail - block.inbox_head.load(std::memory_order_acquire);
    if (used + filler + size > inbox_bytes) {
      block.doorbell.ring();  // it may be sleeping through messages
      return false;
    }
  } while (!block.inbox_tail.compare_exchange_weak(tail, tail + filler + size, std::memory_order_acq_rel));

  if (filler != 0) {
    auto* skipped = reinterpret_cast<Message*>(inbox + tail % inbox_bytes);
    skipped->source = -1;
    skipped->size.store(filler, std::memory_order_release);
  }
  std::byte* place = inbox + (tail + filler) % inbox_bytes;
  constexpr std::size_t after_size = sizeof(std::atomic<std::uint32_t>);
  std::memcpy(place + after_size, reinterpret_cast<const std::byte*>(&head) + after_size, sizeof(Message) - after_size);
  if (!payload.empty()) std::memcpy(place + sizeof(Message), payload.data(), payload.size());
  reinterpret_cast<Message*>(place)->size.store(size, std::memory_order_release);
  if (dest == rank_) return true;
  // A message that holds up its sender wakes always. After the commit above: who finds our decrement missing in
  // `sleep_through` finds the message.
  const bool may_wait = head.use != Use::PointToPoint && head.form != Form::Pull;
  if (may_wait && block.unwanted.fetch_sub(1, std::memory_order_acq_rel) > 0) return true;
  block.doorbell.ring();
  return true;
}

void RankEnd::sleep_through(std::int32_t unwanted) {
  // An exchange, not a store: it sees the messages of those who have counted down already.
  block_.unwanted.exchange(unwanted, std::memory_order_acq_rel);
}

bool RankEnd::empty() const {
  return block_.inbox_tail.load(std::memory_order_acquire) == block_.inbox_head.load(std::memory_order_relaxed);
}

const Message* RankEnd::front() {
  for (;;) {
    const std::uint32_t head = block_.inbox_head.load(std::memory_order_relaxed);
    auto* message = reinterpret_cast<const Message*>(memory_.inbox(rank_) + head % inbox_bytes);
    if (message->size.load(std::memory_order_acquire) == 0) return nullptr;
    if (message->source >= 0) return message;
    pop();
  }
}

void RankEnd::pop() {
  const std::uint32_t head = block_.inbox_head.load(std::memory_order_relaxed);
  std::byte* place = memory_.inbox(rank_) + head % inbox_bytes;
  const std::uint32_t size = reinterpret_cast<Message*>(place)->size.load(std::memory_order_relaxed);
  // Any multiple of 16 may be the start of a record on the next lap, and an uncommitted record is told by a size of 0.
  std::memset(place, 0, size);
  block_.inbox_head.store(head + size, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (block_.inbox_waiters.load(std::memory_order_relaxed) == 0) return;
  const std::uint32_t used = block_.inbox_tail.load(std::memory_order_relaxed) - (head + size);
  if (used > inbox_bytes / 2) return;
  block_.inbox_waiters.store(0, std::memory_order_relaxed);
  for (std::uint32_t rank = 0; rank < memory_.header().born.load(std::memory_order_acquire); ++rank)
    memory_.block(static_cast<int>(rank)).doorbell.ring();
}

}  // namespace orrery::mpi::channel
