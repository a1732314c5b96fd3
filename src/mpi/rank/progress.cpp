// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "mpi/clock/clock.hpp"
#include "mpi/rank/rank_state.hpp"

/// How a rank makes progress: the only place that reads the inbox, and the only one that sleeps.
namespace orrery::mpi {
namespace {

/// How long a rank looks before it sleeps: waking a sleeping core of a virtual machine costs about as much.
constexpr std::int64_t spin_ns = 30'000;

}  // namespace

void Rank::progress() {
  State& state = *state_;
  while (const channel::Message* record = state.end.front()) {
    switch (record->use) {
      case channel::Use::PointToPoint: state.matching.arrived(*record); break;
      case channel::Use::Collective: state.collectives.arrived(*record); break;
      case channel::Use::Partition: state.partitions.arrived(*record); break;
    }
    state.end.pop();
    ++state.changes;
  }
  // A task that posts may have to wait for room, and so come here again: it is not advanced inside of itself.
  if (state.tasks.empty() || state.advancing) return;
  state.advancing = true;
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    const std::shared_ptr<Task> task = state.tasks[i];
    if (!task->advance()) continue;
    state.tasks[i] = nullptr;
    ++state.changes;
  }
  std::erase(state.tasks, nullptr);
  state.advancing = false;
}

bool Rank::State::has_unfetched() const {
  return matching.has_unfetched() || collectives.has_unfetched() || partitions.has_unfetched();
}

void Rank::State::fetch_ahead() {
  matching.fetch_ahead();
  collectives.fetch_ahead(payloads);
  partitions.fetch_ahead(payloads);
}

void Rank::fetch_ahead() { state_->fetch_ahead(); }

void Rank::wake_unfetched() {
  if (!state_->has_unfetched()) return;
  for (std::uint32_t rank = 0; rank < settings().born.load(std::memory_order_acquire); ++rank)
    memory().block(static_cast<int>(rank)).doorbell.ring();
}

void Rank::add_task(std::shared_ptr<Task> task) { state_->tasks.push_back(std::move(task)); }

bool Rank::has_tasks() const { return !state_->tasks.empty(); }

void Rank::wait(Waiting& waiting, std::atomic<std::uint32_t>* shared_word) {
  State& state = *state_;
  if (state.several_threads()) return wait_among_threads(waiting, shared_word != nullptr);
  std::atomic<std::uint32_t>& word = shared_word != nullptr ? *shared_word : state.block.doorbell.rings;
  const auto reached = [&] {
    progress();
    return waiting.done();
  };
  // Tasks want every message: what this rank waits for may depend on what they do with it.
  const auto unwanted = [&] { return state.tasks.empty() ? waiting.missing() - 1 : 0; };
  if (reached()) return;
  if (settings().spin != 0) {
    const std::int64_t until = host_clock::monotonic_ns() + spin_ns;
    do {
      sched_yield();
      if (reached()) return;
    } while (host_clock::monotonic_ns() < until);
  }
  const std::int64_t since_ns = host_clock::monotonic_ns();
  for (;;) {
    state.end.wake_kernel();
    const std::uint64_t this_sleep = ++state.sleeps;
    const std::uint32_t seen = state.block.doorbell.prepare(word);
    std::int32_t sleeps_through = unwanted();
    state.end.sleep_through(sleeps_through);
    if (reached()) return state.block.doorbell.stay_awake();
    if (sleeps_through > 0 && !state.end.empty()) {
      state.end.sleep_through(sleeps_through = 0);
      if (reached()) return state.block.doorbell.stay_awake();
    }
    // Looking may have led to another wait, which left the doorbell otherwise, or to messages that will not come again.
    if (state.sleeps != this_sleep || unwanted() < sleeps_through) continue;
    if (settings().stop.load(std::memory_order_relaxed) != 0) _exit(1);
    const bool unfetched = state.has_unfetched();
    state.block.doorbell.sleep(word, seen, unfetched ? patience_ns : 0);
    if (reached()) return;
    if (unfetched && host_clock::monotonic_ns() - since_ns >= patience_ns) {
      state.fetch_ahead();
    }
  }
}

void Rank::post(int dest, const channel::Message& head, std::span<const std::byte> payload) {
  State& state = *state_;
  if (state.end.try_post(dest, head, payload)) return;
  channel::RankBlock& receiver = state.memory.block(dest);
  wait_until([&] {
    if (state.end.try_post(dest, head, payload)) return true;
    if (receiver.phase.load(std::memory_order_acquire) == static_cast<std::uint32_t>(channel::RankPhase::Finalized)) {
      return true;  // nobody will read it
    }
    // Announced before the last look, and before that look the own doorbell was prepared: the receiver, who clears the
    // announcement before it rings, cannot be missed.
    receiver.inbox_waiters.fetch_add(1, std::memory_order_seq_cst);
    return state.end.try_post(dest, head, payload);
  });
}

bool Rank::SendToken::done() {
  if (ack_ == 0) return true;
  if (rank_->memory().as<std::atomic<std::uint32_t>>(ack_)->load(std::memory_order_acquire) == 0) return false;
  rank_->memory().release(std::exchange(ack_, 0), sizeof(std::uint32_t));
  return true;
}

}  // namespace orrery::mpi
