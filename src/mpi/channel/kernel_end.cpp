// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"
#include "mpi/channel/computations.hpp"
#include "mpi/channel/effects.hpp"
#include "mpi/channel/process_state.hpp"
#include "mpi/channel/standstill.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace orrery::mpi::channel {

KernelEnd::KernelEnd(Memory& memory)
    : memory_(memory),
      readers_(memory.header().capacity),
      computations_(std::make_unique<Computations>(memory)),
      standstill_(std::make_unique<Standstill>(memory)) {}

KernelEnd::~KernelEnd() = default;

void KernelEnd::give_back(Reader& reader) {
  reader.holds = false;
  if (reader.list_bytes > 0) memory_.release(reader.list, std::exchange(reader.list_bytes, 0));
}

/// Requests or counts of an operation. Those in the record are copied, since the rank may overwrite it from now on.
void KernelEnd::lend_list(Reader& reader, const Record& record, op::Operation& operation) {
  operation.requests = {};
  operation.counts = {};
  const std::uint32_t length = record.list_length;
  if (length == 0) return;
  if (takes_requests(record.kind) && length <= inline_requests) {
    std::copy_n(record.requests, length, reader.requests);
    operation.requests = {reader.requests, length};
    return;
  }
  reader.list = record.far.list;
  if (takes_requests(record.kind)) {
    operation.requests = {memory_.as<const op::RequestId>(reader.list), length};
    reader.list_bytes = static_cast<std::uint32_t>(operation.requests.size_bytes());
  } else {
    operation.counts = {memory_.as<const std::int64_t>(reader.list), length};
    reader.list_bytes = static_cast<std::uint32_t>(operation.counts.size_bytes());
  }
}

/// Tells a rank how much of its ring has been read. A rank that found its ring full is woken when at least half of it
/// is free: of the steps in which that is published, one falls just behind the middle.
void KernelEnd::publish_head(const Reader& reader, RankBlock& block) {
  block.ring_head.store(reader.head, std::memory_order_release);
  if (reader.head % ring_part != 0) return;
  const std::uint32_t left = block.ring_tail.load(std::memory_order_relaxed) - reader.head;
  if (left <= ring_records / 2 && left > ring_records / 2 - ring_part) block.doorbell.ring();
}

op::Pull KernelEnd::next(WorldRank rank, op::Operation& operation) {
  Reader& reader = readers_[static_cast<std::size_t>(index(rank))];
  RankBlock& block = memory_.block(index(rank));
  if (reader.holds) give_back(reader);
  if (std::exchange(reader.computes_on, false)) {
    operation = {.compute_s = computations_->take(index(rank))};
    reader.told_s += operation.compute_s;
    return op::Pull::Ready;
  }
  if (reader.tail == reader.head) {
    reader.tail = block.ring_tail.load(std::memory_order_acquire);
    if (reader.tail == reader.head) return op::Pull::NotYet;
  }
  operation.measured = {};
  if (const Record& first = block.ring[reader.head % ring_records]; first.kind == measurement) {
    operation.measured.faults = first.element;
    operation.measured.instructions = static_cast<std::uint64_t>(first.bytes);
    operation.measured.warm = static_cast<std::uint16_t>(first.tag);
    ++reader.head;
    if (reader.head % ring_part == 0) publish_head(reader, block);
  }
  const Record& record = block.ring[reader.head % ring_records];
  operation.kind = record.kind;
  operation.mode = record.mode;
  operation.collective = record.collective;
  operation.flags = record.flags;
  operation.routine = record.routine;
  operation.algorithm = record.algorithm;
  operation.peer = record.peer;
  operation.tag = record.tag;
  operation.comm = record.comm;
  operation.request = record.request;
  operation.compute_s = record.computation.seconds();
  operation.measured.site = record.computation.site();
  if (reader.told_s > 0) {  // what is left belongs to no region
    operation.compute_s = std::max(0.0, operation.compute_s - std::exchange(reader.told_s, 0));
    operation.measured.site = 0;
  }
  operation.bytes = {record.bytes};
  operation.element = record.element;
  operation.extent = record.kind == op::Kind::Collective ? record.far.extent : 0;
  if (op::is_one_sided(record.kind)) operation.element = record.effect;
  lend_list(reader, record, operation);
  ++reader.head;
  reader.holds = true;
  if (reader.head % ring_part == 0 || reader.head == reader.tail) publish_head(reader, block);
  return op::Pull::Ready;
}

void KernelEnd::wait(WorldRank rank) {
  // Long enough to bridge the gap between two operations of a rank that only communicates.
  constexpr int yields = 20;
  // Ranks do not wake the kernel for every operation, only when they wait or need an answer: look by ourselves now and
  // then.
  constexpr std::uint64_t look_again_ns = 500'000;
  const Reader& reader = readers_[static_cast<std::size_t>(index(rank))];
  RankBlock& block = memory_.block(index(rank));
  Doorbell& doorbell = memory_.header().kernel_doorbell;
  const auto has_news = [&] {
    if (interrupted()) throw Interrupted{};
    return block.ring_tail.load(std::memory_order_acquire) != reader.head;
  };
  // With many ranks, those that can run need the processor more.
  for (int i = 0; memory_.header().spin != 0 && i < yields; ++i) {
    if (has_news()) return;
    sched_yield();
  }
  memory_.header().kernel_wants.store(index(rank), std::memory_order_relaxed);
  const std::uint32_t seen = doorbell.prepare();
  if (block.ring_tail.load(std::memory_order_acquire) != reader.head || interrupted()) {
    doorbell.stay_awake();
  } else {
    doorbell.sleep(seen, look_again_ns);
  }
  if (!has_news() && at_standstill() && !has_news()) throw AtStandstill{};
}

bool KernelEnd::at_standstill() {
  // Much longer than ranks need to answer, short for a user.
  constexpr std::chrono::milliseconds between_looks{250};
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ <= between_looks) return false;
  last_look_ = now;
  return standstill_->look();
}

void KernelEnd::fill(ReplySlot& slot, const op::Reply& reply) {
  slot.now_s = reply.now.s;
  slot.bytes = reply.bytes.count;
  slot.source = reply.source;
  slot.tag = reply.tag;
  slot.sequence = reply.sequence;
  slot.flag = reply.flag ? 1 : 0;
  slot.completed_length = static_cast<std::uint32_t>(reply.completed.size());
  slot.completed_list = 0;
  if (reply.completed.size() > reply_inline) {
    slot.completed_list = memory_.allocate(reply.completed.size_bytes());
    std::memcpy(memory_.at(slot.completed_list), reply.completed.data(), reply.completed.size_bytes());
  } else if (!reply.completed.empty()) {
    std::memcpy(slot.completed, reply.completed.data(), reply.completed.size_bytes());
  }
}

void KernelEnd::reply(WorldRank rank, const op::Reply& reply) {
  RankBlock& block = memory_.block(index(rank));
  if (reply.thread == 0) {
    fill(block.reply, reply);
    block.replies.fetch_add(1, std::memory_order_release);
  } else if (reply.thread <= max_threads) {
    const Offset place = block.threads[reply.thread - 1].load(std::memory_order_acquire);
    if (place == 0) return;
    auto& answer = *memory_.as<ThreadAnswer>(place);
    fill(answer.reply, reply);
    answer.replies.fetch_add(1, std::memory_order_release);
  }
  block.doorbell.ring();
}

void KernelEnd::take_effect(WorldRank origin, std::int64_t effect) {
  if (effect == 0) return;
  const auto place = static_cast<Offset>(effect);
  memory_.as<EffectQueue>(memory_.as<Effect>(place)->queue)->link(memory_, place);
  memory_.block(index(origin)).doorbell.ring();  // it may wait for just this one
}

bool KernelEnd::ready(WorldRank rank) {
  return memory_.block(index(rank)).ring_tail.load(std::memory_order_acquire) !=
         readers_[static_cast<std::size_t>(index(rank))].head;
}

void KernelEnd::wait_for_any(double longest_s) {
  // Those of which nothing was left when they were asked last: others have said something, but it is not their turn.
  const auto has_news = [&] {
    if (interrupted()) throw Interrupted{};
    const auto born = static_cast<std::int32_t>(memory_.header().born.load(std::memory_order_acquire));
    for (std::int32_t rank = 0; rank < born; ++rank) {
      if (!readers_[static_cast<std::size_t>(rank)].holds && ready(WorldRank{rank})) return true;
    }
    return false;
  };
  Doorbell& doorbell = memory_.header().kernel_doorbell;
  memory_.header().kernel_wants.store(wants_anyone, std::memory_order_relaxed);
  const std::uint32_t seen = doorbell.prepare();
  if (has_news()) {
    doorbell.stay_awake();
  } else {
    doorbell.sleep(seen, static_cast<std::uint64_t>(longest_s * 1e9));
  }
  memory_.header().kernel_wants.store(wants_nobody, std::memory_order_relaxed);
}

bool KernelEnd::computes(WorldRank rank) {
  if (ready(rank)) return false;
  const auto state = state_of(memory_.block(index(rank)).pid.load(std::memory_order_relaxed));
  return state && !state->asleep;
}

bool KernelEnd::computes_on(WorldRank rank) {
  Reader& reader = readers_[static_cast<std::size_t>(index(rank))];
  reader.computes_on = !ready(rank) && computations_->look(index(rank), reader.head);
  return reader.computes_on;
}

const MemoryWaits& KernelEnd::memory_waits() const { return computations_->memory_waits(); }

bool KernelEnd::waits_outside(WorldRank rank) {
  const RankBlock& block = memory_.block(index(rank));
  const bool in_library =
      block.doorbell.sleeping.load(std::memory_order_relaxed) != 0 || memory_.header().quiet_turn.taken();
  return !ready(rank) && outside_.waits(index(rank), readers_[static_cast<std::size_t>(index(rank))].head,
                                        block.pid.load(std::memory_order_relaxed), in_library);
}

void KernelEnd::interrupt() {
  interrupted_.store(true);
  // Unconditionally: the kernel may be between its check and its sleep.
  memory_.header().kernel_doorbell.ring_always();
}

}  // namespace orrery::mpi::channel
