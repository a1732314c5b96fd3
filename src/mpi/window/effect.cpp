// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/effect.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/reduction/object.hpp"
#include "mpi/window/combine.hpp"

namespace orrery::mpi {
namespace {

using channel::Effect;

/// An effect as it lies in the arena, followed by its runs, its operand, and what it compares with. Once it has
/// happened, what was there before lies in the place of the operand, if it is wanted.
struct alignas(16) Record {
  Effect head;
  Operation operation;
  std::uint32_t element;  ///< the predefined type's value in the standard ABI
  std::int32_t owner;     ///< of the memory: world rank
  std::uint8_t shared;    ///< see Reach
  std::uint8_t swap;
  std::uint8_t returns;  ///< what was there is wanted
  std::uint8_t reserved;
  std::uint64_t runs;  ///< how many
  std::int64_t bytes;  ///< of the operand

  [[nodiscard]] std::span<Run> run_list() { return {reinterpret_cast<Run*>(this + 1), runs}; }
  [[nodiscard]] std::byte* operand() { return reinterpret_cast<std::byte*>(run_list().data() + runs); }
  [[nodiscard]] std::byte* compare() { return operand() + (bytes + 15) / 16 * 16; }
};

std::size_t record_bytes(std::size_t runs, std::int64_t bytes, bool swap) {
  const auto rounded = static_cast<std::size_t>((bytes + 15) / 16 * 16);
  return sizeof(Record) + runs * sizeof(Run) + rounded * (swap ? 2 : 1);
}

/// Packed bytes that are dealt with at once: whole elements, few enough to stay in the cache.
constexpr std::int64_t accumulated_at_once = 64 * 1024;

/// Takes the next `bytes` bytes off the front of `runs`, of whose first run `done` bytes are gone already.
std::vector<Run> next_runs(std::span<Run>& runs, std::int64_t& done, std::int64_t bytes) {
  std::vector<Run> taken;
  while (bytes > 0) {
    const Run& run = runs.front();
    const std::int64_t n = std::min(run.bytes - done, bytes);
    taken.push_back({run.address + static_cast<std::uint64_t>(done), n});
    bytes -= n;
    done += n;
    if (done < run.bytes) continue;
    runs = runs.subspan(1);
    done = 0;
  }
  return taken;
}

/// Where the elements can be changed without copying them; null if they cannot.
std::byte* memory_in_place(Rank& rank, Record& record, const Datatype& element) {
  if (record.runs != 1 || record.returns != 0 || record.swap != 0) return nullptr;
  const Reach reach{.owner = record.owner, .shared = record.shared != 0};
  std::byte* const here = reach.here(rank, record.run_list().front().address);
  const Basic* const basic = single_basic(element);
  if (here == nullptr || basic == nullptr) return nullptr;
  return reinterpret_cast<std::uintptr_t>(here) % static_cast<std::uintptr_t>(basic->alignment) == 0 ? here : nullptr;
}

/// The elements at [at, at + n) of the packed form: reads them, combines, writes the result.
void carry_out_piece(Rank& rank, Record& record, Datatype& element, std::span<const Run> runs, std::int64_t at,
                     std::int64_t n, std::byte* room) {
  const Reach reach{.owner = record.owner, .shared = record.shared != 0};
  const auto bytes = static_cast<std::size_t>(n);
  std::byte* const operand = record.operand() + at;
  std::byte* const before = room;
  std::byte* const after = room + accumulated_at_once;
  read_runs(rank, reach, runs, before);
  if (record.swap != 0) {
    if (std::memcmp(before, record.compare() + at, bytes) == 0) write_runs(rank, reach, runs, operand);
  } else if (record.operation != Operation::NoOperation) {
    std::memcpy(after, before, bytes);
    combine_packed(record.operation, element, operand, after, n);
    write_runs(rank, reach, runs, after);
  }
  if (record.returns != 0) std::memcpy(operand, before, bytes);
}

void carry_out_record(Rank& rank, Record& record) {
  Datatype& element = *predefined_datatype(record.element);
  if (std::byte* const here = memory_in_place(rank, record, element)) {
    return combine_packed(record.operation, element, record.operand(), here, record.bytes);
  }
  const std::int64_t most = accumulated_at_once / size_of(element) * size_of(element);
  const auto room =
      std::make_unique_for_overwrite<std::max_align_t[]>(2 * accumulated_at_once / sizeof(std::max_align_t));
  std::span<Run> runs = record.run_list();
  std::int64_t done_of_first = 0;
  for (std::int64_t at = 0; at < record.bytes; at += most) {
    const std::int64_t n = std::min(most, record.bytes - at);
    carry_out_piece(rank, record, element, next_runs(runs, done_of_first, n), at, n,
                    reinterpret_cast<std::byte*>(room.get()));
  }
}

void carry_out_and_tell(Rank& rank, Record& record) {
  std::uint32_t state = Effect::Done;
  try {
    carry_out_record(rank, record);
  } catch (const Error&) {
    state = Effect::Failed;  // told by its origin
  }
  record.head.state.store(state, std::memory_order_release);
}

}  // namespace

void carry_out(channel::EffectQueue& queue) {
  if (queue.linked.load(std::memory_order_relaxed) == 0 && queue.busy.load(std::memory_order_acquire) == 0) return;
  Rank& rank = this_rank();
  channel::Memory& memory = rank.memory();
  std::uint32_t idle = 0;
  while (!queue.busy.compare_exchange_weak(idle, 1, std::memory_order_acquire)) {
    idle = 0;
    sched_yield();
  }
  std::vector<channel::Offset> ordered;
  for (channel::Offset at = queue.take(); at != 0; at = memory.as<Effect>(at)->next) ordered.push_back(at);
  std::for_each(ordered.rbegin(), ordered.rend(),
                [&](channel::Offset at) { carry_out_and_tell(rank, *memory.as<Record>(at)); });
  queue.busy.store(0, std::memory_order_release);
}

PendingEffect::PendingEffect(Window& window, const TargetPlace& place, const Change& change, std::optional<Data> result,
                             Datatype* result_type)
    : memory_(this_rank().memory()), result_(result) {
  if (result_type != nullptr) result_type_ = Held<Datatype>(*result_type);
  const std::vector<Run> runs = place.runs();
  const std::int64_t bytes = place.bytes();
  size_ = record_bytes(runs.size(), bytes, change.swap);
  try {
    place_ = memory_.allocate(size_);
  } catch (const std::bad_alloc&) {
    throw Error{err_no_mem, concat("there are no ", size_, " bytes of shared memory left for an accumulate")};
  }
  auto& record = *new (memory_.at(place_)) Record{};
  record.head.queue =
      window.table + static_cast<channel::Offset>(place.rank) * sizeof(WindowPart) + offsetof(WindowPart, effects);
  record.operation = change.operation;
  record.element = abi_value_of(*change.element);
  record.owner = place.reach.owner;
  record.shared = place.reach.shared ? 1 : 0;
  record.swap = change.swap ? 1 : 0;
  record.returns = result ? 1 : 0;
  record.runs = runs.size();
  record.bytes = bytes;
  std::copy(runs.begin(), runs.end(), record.run_list().data());
  if (change.operation != Operation::NoOperation) change.operand.pack_into(record.operand());
  if (change.swap) change.compare.pack_into(record.compare());
}

PendingEffect::~PendingEffect() {
  // One that the kernel has yet to order is left to the end of the run.
  if (memory_.as<Record>(place_)->head.state.load(std::memory_order_acquire) != Effect::Pending) {
    memory_.release(place_, size_);
  }
}

void PendingEffect::happen() {
  carry_out_and_tell(this_rank(), *memory_.as<Record>(place_));
  if (settled() && failed_) throw Error{err_rma_range, "the target has no such memory"};
}

bool PendingEffect::settled() {
  if (settled_) return true;
  Record& record = *memory_.as<Record>(place_);
  if (record.head.state.load(std::memory_order_acquire) == Effect::Pending) {
    carry_out(*memory_.as<channel::EffectQueue>(record.head.queue));
  }
  const std::uint32_t state = record.head.state.load(std::memory_order_acquire);
  if (state == Effect::Pending) return false;
  settled_ = true;
  failed_ = state == Effect::Failed;
  if (result_ && !failed_) result_->unpack_from(record.operand(), record.bytes);
  return true;
}

void settle_effects(Window& window, int rank) {
  Target& target = target_of(window, rank);
  bool failed = false;
  for (const auto& effect : target.effects) {
    if (!effect->settled()) this_rank().wait_until([&] { return effect->settled(); });
    failed |= effect->failed();
  }
  target.effects.clear();
  target.ordered = target.results = false;
  if (failed) throw Error{err_rma_range, concat("an accumulate to memory that rank ", rank, " does not have")};
}

void settle_some(Window& window, int rank) {
  Target& target = target_of(window, rank);
  if (target.effects.size() < target.many) return;
  carry_out(window.part(rank).effects);
  std::erase_if(target.effects,
                [](const auto& effect) { return effect.use_count() == 1 && effect->settled() && !effect->failed(); });
  // Looked at again when there are twice as many: each costs a look or two, however many are under way.
  target.many = std::max(target.many, 2 * target.effects.size());
}

}  // namespace orrery::mpi
