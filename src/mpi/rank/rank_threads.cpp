// SPDX-License-Identifier: BSD-3-Clause
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "mpi/clock/clock.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/rank/rank_state.hpp"

/// How a rank works in which several threads call MPI (docs/design/threads.md).
namespace orrery::mpi {
namespace {

void sleep_on_host(std::int64_t ns) {
  const timespec time{0, ns};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace

void Rank::allow_threads() {
  State& state = *state_;
  if (state.threads == nullptr) state.threads = std::make_unique<Threads>(state.main);
}

bool Rank::allows_threads() const { return state_->threads != nullptr; }

/// An operation in which this thread waits: it does not hold up those of others. Its answer is waited for at the end of
/// the call, so that what the call sends has left by then: somebody may wait for it on whom the answer depends.
void Rank::set_apart(op::Operation& operation) {
  State& state = *state_;
  await_own_answer();
  ThreadState& thread = state.thread();
  const std::uint32_t number = state.threads->take_number();
  if (number == 0) {
    throw Error{err_other, "more threads of one rank wait in MPI at the same time than there can be: 256"};
  }
  thread.replies_before = state.end.thread_answer(number).replies.load(std::memory_order_acquire);
  thread.number = number;
  operation.flags |= op::Apart;
  operation.request = number;
}

void Rank::await_own_answer() {
  State& state = *state_;
  ThreadState& thread = state.thread();
  if (thread.number == 0) return;
  const channel::ThreadAnswer& answer = state.end.thread_answer(thread.number);
  state.end.wake_kernel();
  wait_until([&] { return answer.replies.load(std::memory_order_acquire) != thread.replies_before; });
  thread.answer = take_answer(answer.reply);
  state.threads->give_back(std::exchange(thread.number, 0));
  for (const op::RequestId id : thread.given_back) state.ids.give_back(id);
  thread.given_back.clear();
}

const channel::ReplySlot& Rank::ask_among_threads(op::Operation& operation) {
  State& state = *state_;
  ThreadState& thread = state.thread();
  if (op::may_wait(operation)) {
    set_apart(operation);
    send_to_kernel(operation);
    await_own_answer();
    return thread.answer;
  }
  await_own_answer();
  if (state.threads->asking) {
    wait_until([&] { return !state.threads->asking; });
  }
  state.threads->asking = true;
  send_to_kernel(operation);
  state.end.wake_kernel();
  ++state.answers;
  wait_until([&] { return state.end.replies() == state.answers; });
  thread.answer = take_answer(state.end.reply());
  state.threads->asking = false;
  let_others_look();
  return thread.answer;
}

void Rank::wait_among_threads(Waiting& waiting, bool woken_elsewhere) {
  State& state = *state_;
  // What others see for themselves is not told: they would tell it on, and wake each other for ever.
  const auto reached = [&] {
    const std::uint64_t before = state.changes;
    progress();
    const bool done = waiting.done();
    if (done || state.changes != before) let_others_look();
    return done;
  };
  while (!reached()) {
    if (settings().stop.load(std::memory_order_relaxed) != 0) _exit(1);
    state.end.wake_kernel();
    if (woken_elsewhere) {
      state.threads->unlock();
      sleep_on_host(patience_ns);  // nothing wakes it
      state.threads->lock();
    } else if (state.threads->at_doorbell) {
      state.threads->wait_for_change();
    } else {
      channel::Doorbell& doorbell = state.block.doorbell;
      const std::uint64_t this_sleep = ++state.sleeps;
      const std::uint32_t seen = doorbell.prepare();
      state.end.sleep_through(0);
      const bool done = reached();
      // Looking may have led to another wait, which left the doorbell otherwise: another thread may sleep there now.
      if (state.sleeps != this_sleep || state.threads->at_doorbell) {
        if (done) return;
        continue;
      }
      if (done) return doorbell.stay_awake();
      const bool unfetched = state.has_unfetched();
      state.threads->at_doorbell = true;
      state.threads->unlock();
      doorbell.sleep(seen, unfetched ? patience_ns : 0);
      state.threads->lock();
      state.threads->at_doorbell = false;
      state.threads->changed();
      if (!unfetched) continue;
      if (reached()) return;
      state.fetch_ahead();
    }
  }
}

/// What this thread did may be what others wait for.
void Rank::let_others_look() {
  Threads& threads = *state_->threads;
  if (threads.others_wait()) threads.changed();
  if (threads.at_doorbell) state_->block.doorbell.ring();
}

}  // namespace orrery::mpi
