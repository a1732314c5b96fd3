// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "launch/processes.hpp"
#include "launch/spawn.hpp"
#include "mpi/process/template.hpp"

namespace orrery::launch {
namespace {

using Clock = MemoryUse::Clock;
using std::chrono::milliseconds;

// Beyond the positions of leaders.
constexpr std::uint64_t stop_key = UINT64_MAX;
constexpr std::uint64_t end_key = UINT64_MAX - 1;
constexpr std::uint64_t ranks_key = UINT64_MAX - 2;
constexpr std::uint64_t newcomers_key = UINT64_MAX - 3;

constexpr milliseconds look_again{20};           // where nothing tells of what is waited for
constexpr milliseconds most_between_looks{250};  // at what ranks leave in the shared memory
constexpr milliseconds finalize_grace{1000};     // for the kernel to take what ended ranks have left it

Descriptor exit_event(pid_t pid) { return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

Outcome interrupted() { return {.end = End::Interrupted, .exit_code = 130, .text = "interrupted"}; }

}  // namespace

Watch::Watch(const Job& job, const mpi::channel::Memory& memory, std::vector<Leader> leaders, Descriptor ended_ranks,
             const Event& stop, std::function<void()> decided, std::function<void(std::vector<Leader>&)> start_others)
    : job_(job),
      memory_(memory),
      verdict_(memory, job),
      ended_ranks_(std::move(ended_ranks)),
      stop_(stop),
      decided_(std::move(decided)),
      start_others_(std::move(start_others)),
      memory_use_(Clock::now()),
      poller_(epoll_create1(EPOLL_CLOEXEC)) {
  for (const Leader& leader : leaders) watched_.push_back({leader, exit_event(leader.pid)});
  register_all();
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() { end(); }

void Watch::end() {
  end_.raise();
  if (thread_.joinable()) thread_.join();
}

void Watch::decide(Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (outcome_) return;
    outcome_ = std::move(outcome);
  }
  changed_.notify_all();
  decided_();
}

Outcome Watch::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return outcome_ || all_ended_; });
  return outcome_ ? *outcome_ : verdict_.at_end();
}

void Watch::register_one(int number, std::uint64_t key) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = key}};
  epoll_ctl(poller_.number(), EPOLL_CTL_ADD, number, &event);
}

void Watch::register_all() {
  register_one(stop_.number(), stop_key);
  register_one(end_.number(), end_key);
  register_one(newcomers_come_.number(), newcomers_key);
  register_one(ended_ranks_.number(), ranks_key);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (watched_[i].exit) register_one(watched_[i].exit.number(), i);
  }
}

void Watch::add(const std::vector<Leader>& leaders) {
  {
    const std::lock_guard lock(mutex_);
    newcomers_.insert(newcomers_.end(), leaders.begin(), leaders.end());
  }
  newcomers_come_.raise();
}

/// Before any news is looked at: who has started others may end after that.
void Watch::take_newcomers() {
  std::vector<Leader> leaders;
  {
    const std::lock_guard lock(mutex_);
    leaders.swap(newcomers_);
  }
  verdict_.add(static_cast<std::uint32_t>(leaders.size()));
  for (const Leader& leader : leaders) watch_for(leader);
}

void Watch::watch_for(const Leader& leader) {
  watched_.push_back({leader, exit_event(leader.pid)});
  if (watched_.back().exit) register_one(watched_.back().exit.number(), watched_.size() - 1);
}

void Watch::take_what_is_shared(const char* words) {
  shared_by_fork_ = words;
  if (job_.start != Start::Auto) return;
  afresh_ = true;
  watched_.front().leader.rank = 0;
  std::vector<Leader> leaders;
  try {
    start_others_(leaders);
  } catch (const StartError& error) {
    decide({.end = End::NotStarted, .exit_code = error.exit_code(), .text = error.what()});
  } catch (const InputError& error) {
    decide({.end = End::NotStarted, .exit_code = 1, .text = error.what()});
  }
  for (const Leader& leader : leaders) watch_for(leader);
}

void Watch::run() {
  std::array<epoll_event, 64> events;
  while (!ending_) {
    const int count = epoll_wait(poller_.number(), events.data(), events.size(), timeout_ms());
    take_newcomers();
    for (int i = 0; i < count; ++i) handle(events[i].data.u64);
    look_at_all_without_event();
    decide_if(verdict_.someone_aborted());
    decide_if(verdict_.someone_missing());
    check_finalize_answered();
    if (Clock::now() >= memory_use_.next()) sample_memory();
  }
}

int Watch::timeout_ms() const {
  auto wait = std::chrono::ceil<milliseconds>(memory_use_.next() - Clock::now());
  const bool silent = std::any_of(watched_.begin(), watched_.end(), [](auto& w) { return !w.exit && !w.ended; });
  if (silent || verdict_.someone_without_init() || all_ended_since_) wait = std::min(wait, look_again);
  return static_cast<int>(std::clamp(wait, milliseconds(0), most_between_looks).count());
}

void Watch::handle(std::uint64_t key) {
  switch (key) {
    case end_key: ending_ = true; return;
    case stop_key:
      epoll_ctl(poller_.number(), EPOLL_CTL_DEL, stop_.number(), nullptr);
      decide(interrupted());
      return;
    case ranks_key: read_ended_ranks(); return;
    case newcomers_key: newcomers_come_.lower(); return;
    default: look_at(watched_[key]);
  }
}

void Watch::read_ended_ranks() {
  using mpi::EndedRank;
  EndedRank record;
  ssize_t bytes;
  while ((bytes = recv(ended_ranks_.number(), &record, sizeof record, 0)) == sizeof record) {
    switch (record.rank) {
      case EndedRank::has_threads: decide(verdict_.threads_before_init()); break;
      case EndedRank::shares: take_what_is_shared(record.text); break;
      case EndedRank::cannot_fork: decide(verdict_.cannot_fork(record.wait_status)); break;
      default: rank_ended(record.rank, record.wait_status);
    }
  }
  // 0: nobody is left who could send.
  if (bytes == 0) epoll_ctl(poller_.number(), EPOLL_CTL_DEL, ended_ranks_.number(), nullptr);
}

void Watch::look_at(Watched& watched) {
  if (watched.ended) return;
  const std::optional<int> status = Processes::ended(watched.leader.pid);
  if (!status) return;
  watched.ended = true;
  watched.exit.reset();                                                  // which also takes it out of the poller
  if (watched.leader.rank == Leader::template_rank) read_ended_ranks();  // it may say there that it is a rank
  if (watched.leader.rank != Leader::template_rank) return rank_ended(watched.leader.rank, *status);
  decide_if(verdict_.someone_aborted());  // a second program below a shell, which says more than the shell's status
  decide_if(verdict_.template_ended(*status));
  end_if_all_have();
}

void Watch::look_at_all_without_event() {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (!watched_[i].exit) look_at(watched_[i]);
  }
}

void Watch::rank_ended(std::int32_t rank, int wait_status) {
  decide_if(verdict_.rank_ended(rank, wait_status));
  if (verdict_.all_ended()) all_ended_since_ = Clock::now();
  end_if_all_have();
}

/// The template may lie below a shell, which may have more to do, such as a second program that is to be refused.
void Watch::end_if_all_have() {
  const auto goes_on = [](const Watched& watched) {
    return watched.leader.rank == Leader::template_rank && !watched.ended;
  };
  if (!verdict_.all_ended() || std::any_of(watched_.begin(), watched_.end(), goes_on)) return;
  const std::lock_guard lock(mutex_);
  all_ended_ = true;
  changed_.notify_all();
}

void Watch::decide_if(std::optional<Outcome> outcome) {
  if (outcome) decide(std::move(*outcome));
}

/// A process can end inside MPI_Finalize, before it has said to the kernel that it does: the kernel would wait for
/// ever.
void Watch::check_finalize_answered() {
  if (!all_ended_since_ || kernel_has_ended_ || Clock::now() < *all_ended_since_ + finalize_grace) return;
  for (std::uint32_t rank = 0; rank < memory_.header().born.load(); ++rank) {
    const mpi::channel::RankBlock& block = memory_.block(static_cast<int>(rank));
    // With operations left to read, the kernel is at work.
    if (block.ring_tail.load() != block.ring_head.load()) return;
  }
  decide({.end = End::LeftEarly,
          .exit_code = 1,
          .text = "all ranks have ended, but not all of them had left MPI_Finalize"});
}

void Watch::sample_memory() {
  std::vector<pid_t> alive;
  for (const Watched& watched : watched_) {
    if (!watched.ended) alive.push_back(watched.leader.pid);
  }
  if (job_.start != Start::Exec && !afresh_) {
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      const pid_t pid = memory_.block(static_cast<int>(rank)).pid.load();
      if (pid > 0) alive.push_back(pid);
    }
  }
  memory_use_.sample(alive);
}

}  // namespace orrery::launch
