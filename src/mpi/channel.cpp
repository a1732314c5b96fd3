// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace orrery::mpi::channel {
namespace {

constexpr std::uint64_t magic = 0x0059524552524f01;  // "\1ORRERY"
constexpr std::size_t page = 4096;
constexpr std::size_t largest_file = std::size_t{1} << 40;
constexpr std::size_t smallest_arena = std::size_t{256} << 20;
constexpr std::uint64_t offset_bits = 40;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << offset_bits) - 1;

constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout = nullptr) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

/// Size classes of the arena: 64, 128, 192, 256, then four per doubling.
struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) {
  const std::size_t units = std::max<std::size_t>(1, (bytes + 63) / 64);
  if (units <= 4) return {units - 1, units * 64};
  const auto doubling = static_cast<std::size_t>(std::bit_width(units - 1)) - 3;  // 5..8 units: 0
  const std::size_t step = std::size_t{1} << doubling;
  const std::size_t quarter = (units - 1) / step - 4;
  return {4 + 4 * doubling + quarter, (5 + quarter) * step * 64};
}

/// What `define_comm` stores.
struct Members {
  std::uint32_t count;
  std::int32_t world_ranks[1];  // `count` of them
};

std::size_t members_bytes(std::size_t count) { return sizeof(std::uint32_t) + count * sizeof(std::int32_t); }

bool takes_requests(op::Kind kind) { return kind != op::Kind::Collective; }

}  // namespace

// --- Doorbell ------------------------------------------------------------------------------------------------------

void Doorbell::ring() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleeping.load(std::memory_order_relaxed) == 0) return;
  // Only one of several ringers pays for the system call.
  if (sleeping.exchange(0, std::memory_order_acq_rel) == 0) return;
  rings.fetch_add(1, std::memory_order_release);
  futex(rings, FUTEX_WAKE, INT_MAX);
}

std::uint32_t Doorbell::prepare() {
  const std::uint32_t seen = rings.load(std::memory_order_acquire);
  sleeping.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return seen;
}

void Doorbell::sleep(std::uint32_t seen, std::uint64_t timeout_ns) {
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  futex(rings, FUTEX_WAIT, seen, timeout_ns == 0 ? nullptr : &timeout);
  stay_awake();
}

void Doorbell::stay_awake() { sleeping.store(0, std::memory_order_relaxed); }

// --- Memory --------------------------------------------------------------------------------------------------------

Memory Memory::create(std::uint32_t ranks) {
  const int descriptor = memfd_create("orrery", MFD_CLOEXEC);
  if (descriptor < 0) throw InputError(concat("cannot create shared memory: ", std::strerror(errno)));
  const std::size_t fixed = sizeof(Header) + ranks * (sizeof(RankBlock) + inbox_bytes + name_bytes + 8) + max_comms * 8;
  // The arena is as large as the system lets an empty file and its mapping be: pages cost nothing until they are used.
  for (std::size_t bytes = largest_file; bytes >= fixed + smallest_arena; bytes /= 2) {
    if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) continue;
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (base == MAP_FAILED) continue;
    Memory memory(descriptor, static_cast<std::byte*>(base), bytes);
    memory.lay_out(ranks);
    return memory;
  }
  close(descriptor);
  throw InputError(concat("cannot map shared memory for ", ranks,
                          " ranks: raise the limit of virtual memory (ulimit -v) to at least ",
                          (fixed + smallest_arena) >> 20, " MiB"));
}

void Memory::lay_out(std::uint32_t ranks) {
  Header& head = *new (base_) Header{};
  head.magic = magic;
  head.version = version;
  head.ranks = ranks;
  head.file_bytes = bytes_;
  Offset top = round_up(sizeof(Header), page);
  const auto take = [&top](std::size_t bytes) { return std::exchange(top, top + round_up(bytes, page)); };
  head.blocks = take(ranks * sizeof(RankBlock));
  head.inboxes = take(ranks * inbox_bytes);
  head.host_of_rank = take(ranks * sizeof(std::uint32_t));
  head.comms = take(max_comms * sizeof(Offset));
  head.arena = top;
  head.arena_top.store(top);
  std::vector<std::int32_t> world(ranks);
  std::iota(world.begin(), world.end(), 0);
  define_comm(0, world);
}

Memory Memory::attach(int descriptor) {
  const off_t bytes = lseek(descriptor, 0, SEEK_END);
  if (bytes < static_cast<off_t>(sizeof(Header))) {
    throw InputError(
        concat("descriptor ", descriptor, " is not Orrery's shared memory; start the program with orrery run"));
  }
  void* base =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (base == MAP_FAILED) throw InputError(concat("cannot map Orrery's shared memory: ", std::strerror(errno)));
  Memory memory(descriptor, static_cast<std::byte*>(base), static_cast<std::size_t>(bytes));
  if (memory.header().magic != magic || memory.header().version != version) {
    throw InputError(
        "this program's MPI library and `orrery run` are of different versions: rebuild the program or use the other "
        "orrery");
  }
  return memory;
}

Memory::Memory(Memory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Memory::~Memory() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

RankBlock& Memory::block(int world_rank) const { return as<RankBlock>(header().blocks)[world_rank]; }

std::byte* Memory::inbox(int world_rank) const {
  return at(header().inboxes + static_cast<std::size_t>(world_rank) * inbox_bytes);
}

void Memory::set_hosts(std::span<const std::string> names, std::span<const std::uint32_t> host_of_rank) {
  header().hosts = allocate(std::max<std::size_t>(1, names.size()) * name_bytes);
  for (std::size_t i = 0; i < names.size(); ++i) {
    char* name = as<char>(header().hosts + i * name_bytes);
    const std::size_t length = std::min(names[i].size(), name_bytes - 1);
    std::memcpy(name, names[i].data(), length);
    name[length] = '\0';
  }
  std::copy(host_of_rank.begin(), host_of_rank.end(), as<std::uint32_t>(header().host_of_rank));
}

std::uint32_t Memory::host_of(int world_rank) const { return as<std::uint32_t>(header().host_of_rank)[world_rank]; }

const char* Memory::host_name(int world_rank) const {
  return as<char>(header().hosts + host_of(world_rank) * name_bytes);
}

Offset Memory::allocate(std::size_t bytes) {
  const SizeClass wanted = size_class(bytes);
  auto& list = header().free_lists[wanted.index];
  std::uint64_t head = list.load(std::memory_order_acquire);
  while ((head & offset_mask) != 0) {
    const Offset block = (head & offset_mask) * 64;
    // Another process may have taken the block meanwhile and be writing to it: then the counter differs and the
    // exchange fails.
    const std::uint64_t next = as<std::atomic<std::uint64_t>>(block)->load(std::memory_order_relaxed);
    const std::uint64_t replacement = (next & offset_mask) | ((head & ~offset_mask) + (offset_mask + 1));
    if (list.compare_exchange_weak(head, replacement, std::memory_order_acq_rel)) return block;
  }
  const Offset block = header().arena_top.fetch_add(wanted.bytes, std::memory_order_relaxed);
  if (block + wanted.bytes > bytes_) throw std::bad_alloc();
  return block;
}

void Memory::release(Offset offset, std::size_t bytes) {
  auto& list = header().free_lists[size_class(bytes).index];
  auto& link = *as<std::atomic<std::uint64_t>>(offset);
  std::uint64_t head = list.load(std::memory_order_relaxed);
  std::uint64_t replacement = 0;
  do {
    link.store(head & offset_mask, std::memory_order_relaxed);
    replacement = (offset / 64) | ((head & ~offset_mask) + (offset_mask + 1));
  } while (!list.compare_exchange_weak(head, replacement, std::memory_order_acq_rel));
}

void Memory::define_comm(op::CommId comm, std::span<const std::int32_t> world_ranks) {
  if (comm >= max_comms) {
    throw InputError(
        concat("the program creates more than ", max_comms, " communicators, which is more than one run can hold"));
  }
  const Offset place = allocate(members_bytes(world_ranks.size()));
  auto* members = as<Members>(place);
  members->count = static_cast<std::uint32_t>(world_ranks.size());
  std::copy(world_ranks.begin(), world_ranks.end(), members->world_ranks);
  as<std::atomic<Offset>>(header().comms)[comm].store(place, std::memory_order_release);
}

std::span<const std::int32_t> Memory::comm_members(op::CommId comm) const {
  if (comm >= max_comms) return {};
  const Offset place = as<std::atomic<Offset>>(header().comms)[comm].load(std::memory_order_acquire);
  if (place == 0) return {};
  const auto* members = as<Members>(place);
  return {members->world_ranks, members->count};
}

void Memory::release_comm(op::CommId comm) {
  const Offset place = as<std::atomic<Offset>>(header().comms)[comm].exchange(0);
  if (place != 0) release(place, members_bytes(as<Members>(place)->count));
}

// --- RankEnd -------------------------------------------------------------------------------------------------------

RankEnd::RankEnd(Memory& memory, int world_rank)
    : memory_(memory), rank_(world_rank), block_(memory.block(world_rank)) {}

bool RankEnd::has_room() const {
  return block_.ring_tail.load(std::memory_order_relaxed) - block_.ring_head.load(std::memory_order_acquire) <
         ring_records;
}

void RankEnd::push(const op::Operation& operation) {
  const std::uint32_t tail = block_.ring_tail.load(std::memory_order_relaxed);
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
  record.compute_s = operation.compute_s;
  record.bytes = operation.bytes.count;
  record.element = static_cast<std::uint32_t>(operation.element);
  record.list = 0;
  if (takes_requests(operation.kind)) {
    const auto& requests = operation.requests;
    record.list_length = static_cast<std::uint32_t>(requests.size());
    if (requests.size() > inline_requests) {
      record.list = memory_.allocate(requests.size_bytes());
      std::memcpy(memory_.at(record.list), requests.data(), requests.size_bytes());
    } else if (!requests.empty()) {
      std::memcpy(record.requests, requests.data(), requests.size_bytes());
    }
  } else {
    record.list_length = static_cast<std::uint32_t>(operation.counts.size());
    if (!operation.counts.empty()) {
      record.list = memory_.allocate(operation.counts.size_bytes());
      std::memcpy(memory_.at(record.list), operation.counts.data(), operation.counts.size_bytes());
    }
  }
  block_.ring_tail.store(tail + 1, std::memory_order_release);
}

void RankEnd::wake_kernel() {
  Header& header = memory_.header();
  // Pairs with the fence in the kernel's `prepare`: it sees our operations, or we see that it wants them.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (header.kernel_wants.load(std::memory_order_relaxed) == rank_) header.kernel_doorbell.ring();
}

std::uint32_t RankEnd::replies() const { return block_.replies.load(std::memory_order_acquire); }

const ReplySlot& RankEnd::reply() const { return block_.reply; }

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
  if (head.collective != 0 && head.form != Form::Pull && block.unwanted.fetch_sub(1, std::memory_order_acq_rel) > 0)
    return true;
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
  for (std::uint32_t rank = 0; rank < memory_.header().ranks; ++rank)
    memory_.block(static_cast<int>(rank)).doorbell.ring();
}

// --- KernelEnd -----------------------------------------------------------------------------------------------------

KernelEnd::KernelEnd(Memory& memory) : memory_(memory), readers_(memory.header().ranks) {}

void KernelEnd::give_back(Reader& reader, RankBlock& block) {
  const Record& record = block.ring[(reader.head - 1) % ring_records];
  if (takes_requests(record.kind)) {
    if (record.list_length > inline_requests) memory_.release(record.list, record.list_length * sizeof(op::RequestId));
  } else if (record.list_length > 0) {
    memory_.release(record.list, record.list_length * sizeof(std::int64_t));
  }
  reader.holds = false;
  block.ring_head.store(reader.head, std::memory_order_release);
  // A rank that found its ring full sleeps until half of it is free again.
  if (block.ring_tail.load(std::memory_order_relaxed) - reader.head == ring_records / 2) block.doorbell.ring();
}

op::Pull KernelEnd::next(WorldRank rank, op::Operation& operation) {
  Reader& reader = readers_[static_cast<std::size_t>(index(rank))];
  RankBlock& block = memory_.block(index(rank));
  if (reader.holds) give_back(reader, block);
  if (block.ring_tail.load(std::memory_order_acquire) == reader.head) return op::Pull::NotYet;
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
  operation.compute_s = record.compute_s;
  operation.bytes = {record.bytes};
  operation.element = record.element;
  operation.requests = {};
  operation.counts = {};
  if (record.list_length > 0) {
    if (!takes_requests(record.kind)) {
      operation.counts = {memory_.as<const std::int64_t>(record.list), record.list_length};
    } else if (record.list_length > inline_requests) {
      operation.requests = {memory_.as<const op::RequestId>(record.list), record.list_length};
    } else {
      operation.requests = {record.requests, record.list_length};
    }
  }
  ++reader.head;
  reader.holds = true;
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
  while (!has_news()) {
    memory_.header().kernel_wants.store(index(rank), std::memory_order_relaxed);
    const std::uint32_t seen = doorbell.prepare();
    if (block.ring_tail.load(std::memory_order_acquire) != reader.head || interrupted()) {
      doorbell.stay_awake();
    } else {
      doorbell.sleep(seen, look_again_ns);
    }
  }
}

void KernelEnd::reply(WorldRank rank, const op::Reply& reply) {
  RankBlock& block = memory_.block(index(rank));
  ReplySlot& slot = block.reply;
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
  block.replies.fetch_add(1, std::memory_order_release);
  block.doorbell.ring();
}

void KernelEnd::interrupt() {
  interrupted_.store(true);
  Doorbell& doorbell = memory_.header().kernel_doorbell;
  // Unconditionally: the kernel may be between its check and its sleep.
  doorbell.rings.fetch_add(1);
  futex(doorbell.rings, FUTEX_WAKE, INT_MAX);
}

}  // namespace orrery::mpi::channel
