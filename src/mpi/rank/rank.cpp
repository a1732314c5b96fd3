// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/rank.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "mpi/clock/clock.hpp"
#include "mpi/clock/program_timers.hpp"
#include "mpi/clock/simulated_clock.hpp"
#include "mpi/rank/rank_state.hpp"

namespace orrery::mpi {
namespace {

/// The kernel looks for news by itself, but seldom. A rank that communicates without ever waiting tells it this often.
constexpr std::int64_t wake_kernel_every_ns = 100'000;

/// What reading a clock costs when computation is not measured: a program that polls a clock must see time pass.
constexpr double clock_read_s = 50e-9;

/// Longest computation over which to extrapolate a clock, in seconds. Time that others take a processor for is not in
/// it: the next answer has that.
constexpr double most_to_extrapolate_s = 1e-3;
/// Where it is not charged as it was measured: so long that a loop which reads a clock need not ask each time.
constexpr double most_to_extrapolate_steady_s = 10e-6;

}  // namespace

Rank::State::State(Rank& rank, channel::Memory& shared, int number)
    : memory(shared),
      world_rank(number),
      end(shared, number),
      block(shared.block(number)),
      main(ComputeMeter(host_clock::monotonic_ns,
                        shared.header().measure_compute != 0 ? host_clock::thread_cpu_ns : host_clock::monotonic_ns)),
      sites(shared),
      python_lines(shared),
      instruction_counter(shared.header().measure_compute != 0),
      faults_before(page_faults()),
      sampler(rank),
      folder(shared),
      answers(end.replies()),
      payloads(rank),
      matching(payloads) {
  if (shared.header().measure_warm != 0 && !channel::is_under_valgrind())
    warm = std::make_unique<WarmRegions>(shared, number);
  block.doorbell.mask.store(1u << (number % 32), std::memory_order_relaxed);
}

Rank::Rank(channel::Memory& memory, int world_rank) : state_(std::make_unique<State>(*this, memory, world_rank)) {}

Rank::~Rank() = default;

int Rank::world_rank() const { return state_->world_rank; }

int Rank::world_size() const { return static_cast<int>(state_->memory.comm_members(state_->block.world_comm).size()); }

channel::Memory& Rank::memory() { return state_->memory; }

const channel::Header& Rank::settings() const { return state_->memory.header(); }

channel::RankBlock& Rank::block() { return state_->block; }

MatchingQueues& Rank::matching() { return state_->matching; }

CollectiveInbox& Rank::collectives() { return state_->collectives; }

PartitionInbox& Rank::partitions() { return state_->partitions; }

Payloads& Rank::payloads() { return state_->payloads; }

AttachedBuffer& Rank::attached_buffer() { return state_->attached_buffer; }

const Rank::Counters& Rank::counters() const { return state_->counters; }

void Rank::begin_phase(std::uint32_t phase) {
  state_->phases.push_back(phase);
  state_->local_calls = nullptr;
}

bool Rank::end_phase() {
  if (state_->phases.empty()) return false;
  state_->phases.pop_back();
  state_->local_calls = nullptr;
  return true;
}

std::vector<std::unique_ptr<Request>>& Rank::orphans() { return state_->orphans; }

void Rank::enter(op::RoutineId routine, const void* from) {
  if (WarmCopy::in_copy()) WarmCopy::end_of_run();
  State& state = *state_;
  ThreadState& thread = state.thread();
  if (thread.depth++ > 0) return;
  std::int64_t computed_ns = thread.meter.stop();
  if (state.threads != nullptr) {
    state.threads->enter(thread);
    if (thread.holds_lock) state.block.several_threads.store(1, std::memory_order_relaxed);
    computed_ns = state.threads->counted(computed_ns, thread.meter.stopped_ns());
  }
  thread.called_from = from;
  if (settings().measure_compute != 0) state.measured(computed_ns);
  if (simulated_clock::is_behind()) {
    thread.routine = 0;
    simulated_clock::catch_up();
  }
  thread.routine = routine;
  thread.first_of_call = routine != 0;
  if (routine == 0) return;
  state.block.routine.store(routine, std::memory_order_relaxed);
  state.block.in_call.store(1, std::memory_order_relaxed);
}

/// Page faults cost a system call: in shorter computations there are none that are worth it.
void Rank::State::measured(std::int64_t computed_ns) {
  if (compute_s == 0) first_computed_s = static_cast<double>(computed_ns) * 1e-9;
  report(static_cast<double>(computed_ns) * 1e-9);
  counted |= computed_ns >= ComputeMeter::short_computation_ns;
  if (instruction_counter.counts()) instructions += instruction_counter.read() - instructions_before;
}

/// Under the lock, if there are several threads. Memory that is used up costs the counts, not the run.
void Rank::State::count_local_call(op::RoutineId routine) {
  if (local_calls == nullptr) {
    try {
      local_calls = &channel::local_calls(memory, block, phase());
    } catch (const std::bad_alloc&) {
      return;
    }
  }
  std::atomic<std::uint64_t>& calls = local_calls->calls[routine];
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // it has one writer at a time
}

void Rank::leave() {
  State& state = *state_;
  ThreadState& thread = state.thread();
  if (thread.depth == 1 && thread.holds_lock) await_own_answer();
  const bool local = thread.first_of_call;
  const bool region_begins = state.warm != nullptr && thread.depth == 1 && !local && thread.routine != 0;
  if (region_begins) state.warm->prepare();
  if (--thread.depth > 0) return;
  thread.first_of_call = false;
  if (local) state.count_local_call(thread.routine);
  state.block.in_call.store(0, std::memory_order_relaxed);
  if (std::exchange(thread.holds_lock, false)) {
    let_others_look();
    state.threads->unlock();
  }
  if (state.instruction_counter.counts()) state.instructions_before = state.instruction_counter.read();
  thread.meter.start();
  if (thread.routine != 0 && program_timers::any_armed()) program_timers::look_after_call();
  if (region_begins) state.measure_warm(thread);
}

/// Last of all before the program goes on: a copy begins here again and again.
void Rank::State::measure_warm(ThreadState& thread) {
  if (warm->measure() != WarmRegions::Measured::Here) return;
  faults_before = page_faults();
  if (instruction_counter.counts()) instructions_before = instruction_counter.read();
  thread.meter.start();
}

void Rank::add_computation(double seconds) {
  enter(0);
  state_->report(seconds);
  state_->declared = true;
  leave();
}

double Rank::computed_s() {
  enter(0);
  leave();
  return state_->computed_s;
}

void Rank::pause(std::uint64_t longest_ns) {
  enter(0);
  progress();
  auto& doorbell = block().doorbell;
  doorbell.sleep(doorbell.prepare(), longest_ns);
  doorbell.stay_awake();
  leave();
}

Sampler& Rank::sampler() { return state_->sampler; }

Folder& Rank::folder() { return state_->folder; }

bool Rank::in_call() const { return state_->thread().depth > 0; }

void Rank::push(op::Operation operation) {
  State& state = *state_;
  if (state.several_threads() && op::may_wait(operation)) set_apart(operation);
  send_to_kernel(operation);
}

/// How the computation was measured that is reported now. Computation of several threads, and what is declared, belongs
/// to no region.
op::Measurement Rank::measurement() {
  State& state = *state_;
  op::Measurement measured;
  const bool declared = std::exchange(state.declared, false);
  const bool counted = std::exchange(state.counted, false);
  const std::uint64_t instructions = std::exchange(state.instructions, 0);
  if (declared || state.several_threads() || settings().measure_compute == 0) return measured;
  measured.site = state.python_lines.number(state.sites.number(state.thread().called_from));
  if (!counted) return measured;
  const std::uint64_t faults = page_faults();
  measured.faults = static_cast<std::uint32_t>(faults - std::exchange(state.faults_before, faults));
  measured.instructions = instructions;
  return measured;
}

/// Page faults that a copy has caused are none of the program's.
void Rank::State::look_at_region(op::Operation& operation) {
  const auto nanoseconds = [](double seconds) { return static_cast<std::int64_t>(std::llround(seconds * 1e9)); };
  const auto [disturbed, part] =
      warm->ended(operation.measured.site, operation.routine, nanoseconds(operation.compute_s),
                  nanoseconds(std::exchange(first_computed_s, 0)), operation.measured.faults);
  operation.measured.warm = part;
  if (disturbed) operation.measured.faults = op::Measurement::after_copy;
}

void Rank::send_to_kernel(op::Operation& operation) {
  State& state = *state_;
  ThreadState& thread = state.thread();
  if (state.sampler.in_block() && operation.kind != op::Kind::Clock) state.sampler.refuse_call();
  while (!state.end.has_room()) {
    wait_until([&] { return state.end.has_room(); });
  }
  operation.routine = thread.routine;
  if (std::exchange(thread.first_of_call, false)) operation.flags |= op::FirstOfCall;
  operation.compute_s = std::exchange(state.compute_s, 0);
  operation.measured = measurement();
  if (operation.measured.site != 0) operation.compute_s = std::round(operation.compute_s * 1e9) * 1e-9;
  if (state.warm != nullptr) state.look_at_region(operation);
  state.only_computed_since = false;
  ++state.counters.operations;
  if (operation.kind == op::Kind::Isend || operation.kind == op::Kind::Psend) {
    ++state.counters.messages;
    state.counters.bytes += static_cast<std::uint64_t>(operation.bytes.count);
  }
  state.end.push(operation);
  if (thread.meter.stopped_ns() - state.kernel_woken_ns > wake_kernel_every_ns) {
    state.kernel_woken_ns = thread.meter.stopped_ns();
    state.end.wake_kernel();
  }
}

const channel::ReplySlot& Rank::ask(op::Operation operation) {
  State& state = *state_;
  if (state.several_threads()) return ask_among_threads(operation);
  push(operation);
  state.end.wake_kernel();
  ++state.answers;
  wait_until([&] { return state.end.replies() == state.answers; });
  return take_answer(state.end.reply());
}

const channel::ReplySlot& Rank::take_answer(const channel::ReplySlot& reply) {
  State& state = *state_;
  state.known_ns.store(host_clock::monotonic_ns(), std::memory_order_relaxed);
  state.known_s.store(reply.now_s, std::memory_order_relaxed);
  const std::uint32_t n = reply.completed_length;
  const auto* positions =
      reply.completed_list == 0 ? reply.completed : state.memory.as<const std::uint32_t>(reply.completed_list);
  state.thread().completed.assign(positions, positions + n);
  if (reply.completed_list != 0) state.memory.release(reply.completed_list, n * sizeof(std::uint32_t));
  return reply;
}

std::span<const std::uint32_t> Rank::completed() const { return state_->thread().completed; }

op::RequestId Rank::new_request_id() { return state_->ids.take(); }

void Rank::free_request_id(op::RequestId id) {
  ThreadState& thread = state_->thread();
  if (thread.number != 0) {
    thread.given_back.push_back(id);
  } else {
    state_->ids.give_back(id);
  }
}

std::uint32_t Rank::next_send_sequence() { return state_->sends++; }

double Rank::simulated_now() {
  State& state = *state_;
  const bool measured = settings().measure_compute != 0;
  if (!measured) state.compute_s += clock_read_s;
  // A thread that was away for longer may have waited for another rank outside of MPI: only the kernel knows how long.
  // Where computation is not measured, when to ask must not depend on the host.
  const std::int64_t passed_ns = state.thread().meter.stopped_ns() - state.known_ns.load(std::memory_order_relaxed);
  const bool was_here = !measured || static_cast<double>(passed_ns) * 1e-9 < most_to_extrapolate_s;
  const bool steady = measured && settings().steady != 0;
  const double most_s = steady ? most_to_extrapolate_steady_s : most_to_extrapolate_s;
  if (state.only_computed_since && was_here && state.compute_s < most_s) {
    const double known_s = state.known_s.load(std::memory_order_relaxed);
    state.given_s = std::max(state.given_s, known_s + state.compute_s * state.memory.compute_factor(state.world_rank));
    return state.given_s;
  }
  const double now_s = ask({.kind = op::Kind::Clock}).now_s;
  state.only_computed_since = true;
  state.given_s = std::max(state.given_s, now_s);
  return state.given_s;
}

double Rank::last_simulated_s() const {
  const std::int64_t since_ns = host_clock::monotonic_ns() - state_->known_ns.load(std::memory_order_relaxed);
  return state_->known_s.load(std::memory_order_relaxed) + static_cast<double>(since_ns) * 1e-9;
}

double Rank::answered_s() const { return state_->known_s.load(std::memory_order_relaxed); }

}  // namespace orrery::mpi
