// SPDX-License-Identifier: BSD-3-Clause
#include "launch/verdict.hpp"

#include <sys/wait.h>

#include <cstring>

#include "base/error.hpp"
#include "launch/routine_name.hpp"
#include "launch/signal_name.hpp"

namespace orrery::launch {

using mpi::channel::RankBlock;
using mpi::channel::RankPhase;

namespace {

RankPhase phase_of(const RankBlock& block) { return static_cast<RankPhase>(block.phase.load()); }

/// Where the rank was: " in MPI_Recv", " after MPI_Send", " before its first MPI call".
std::string place(const Outcome& outcome) {
  if (outcome.routine.empty()) return " before its first MPI call";
  return concat(outcome.in_routine ? " in " : " after ", outcome.routine);
}

/// A status for the shell that says failure, whatever was asked for.
int failure(int code) { return (code & 0xff) != 0 ? code & 0xff : 1; }

std::string because(int signal) {
  const std::string meaning = signal_meaning(signal);
  return meaning.empty() ? "" : concat(" (", meaning, ")");
}

}  // namespace

Verdict::Verdict(const mpi::channel::Memory& memory, const Job& job) : memory_(memory), job_(job), ranks_(job.ranks) {}

std::optional<Outcome> Verdict::rank_ended(std::int32_t rank, int wait_status) {
  ++ended_;
  if (static_cast<std::uint32_t>(rank) < job_.ranks) ++first_ended_;
  const RankPhase phase = phase_of(memory_.block(rank));
  if (phase == RankPhase::Aborted) return aborted(rank);
  if (WIFSIGNALED(wait_status)) return crashed(rank, WTERMSIG(wait_status));
  const int status = WEXITSTATUS(wait_status);
  switch (phase) {
    case RankPhase::Finalized:
      if (status != 0) ++nonzero_;
      if (status != 0 && (!lowest_nonzero_ || rank < lowest_nonzero_->rank)) lowest_nonzero_ = Status{rank, status};
      return {};
    case RankPhase::Unborn:
      without_init_.push_back({rank, status});
      return without_init_.size() == ranks_ ? not_mpi(without_init_.front().status) : someone_missing();
    default: return left_early(rank, status);
  }
}

std::optional<Outcome> Verdict::template_ended(int wait_status) const {
  if (first_ended_ == job_.ranks) return shell_ended(wait_status);
  if (!WIFSIGNALED(wait_status) && !someone_attached()) return not_mpi(WEXITSTATUS(wait_status));
  Outcome outcome{.end = End::Crashed, .exit_code = 1};
  const char* when = someone_attached() ? "the process that had forked the ranks" : "the program, before MPI_Init,";
  if (WIFSIGNALED(wait_status)) {
    outcome.signal = WTERMSIG(wait_status);
    outcome.exit_code = 128 + outcome.signal;
    outcome.text = concat(when, " was killed by ", signal_name(outcome.signal), because(outcome.signal));
  } else {
    outcome.text = concat(when, " ended with status ", WEXITSTATUS(wait_status), " before they did");
  }
  return outcome;
}

/// The process that was started, of which the template is a child or itself, and whose ranks have ended.
std::optional<Outcome> Verdict::shell_ended(int wait_status) const {
  if (lowest_nonzero_ || wait_status == 0) return {};
  Outcome outcome{.end = End::ExitStatus, .exit_code = WEXITSTATUS(wait_status)};
  if (WIFSIGNALED(wait_status)) {
    outcome = {.end = End::Crashed, .exit_code = 128 + WTERMSIG(wait_status), .signal = WTERMSIG(wait_status)};
    outcome.text = concat("the process that had started the program was killed by ", signal_name(outcome.signal));
  } else {
    outcome.text = concat("the process that had started the program ended with status ", outcome.exit_code);
  }
  return outcome;
}

std::optional<Outcome> Verdict::someone_missing() const {
  if (without_init_.empty() || !someone_attached()) return {};
  const auto [rank, status] = without_init_.front();
  return left_early(rank, status);
}

std::optional<Outcome> Verdict::someone_aborted() const {
  const std::int32_t one_more = memory_.header().aborted.load(std::memory_order_acquire);
  if (one_more == 0) return {};
  return aborted(one_more - 1);
}

Outcome Verdict::at_end() const {
  if (!lowest_nonzero_) return {};
  Outcome outcome = about(End::ExitStatus, lowest_nonzero_->rank);
  outcome.exit_code = lowest_nonzero_->status;
  outcome.text = concat("rank ", outcome.rank, " ended with status ", outcome.exit_code, " after MPI_Finalize");
  if (nonzero_ > 1) outcome.text += concat("; ", nonzero_ - 1, nonzero_ == 2 ? " other" : " others", " failed, too");
  return outcome;
}

Outcome Verdict::threads_before_init() const {
  return {.end = End::NotStarted,
          .exit_code = 1,
          .text =
              "the program has started threads before MPI_Init, which forking would lose: start each rank afresh "
              "(leave out --launch fork)"};
}

Outcome Verdict::cannot_fork(int error_number) const {
  return {.end = End::NotStarted,
          .exit_code = 1,
          .text = concat("cannot create ", ranks_, " processes: ", std::strerror(error_number),
                         "; raise the limit of processes (ulimit -u) or of memory, or use fewer ranks")};
}

Outcome Verdict::about(End end, std::int32_t rank) const {
  const RankBlock& block = memory_.block(rank);
  const auto routine = static_cast<op::RoutineId>(block.routine.load());
  return {.end = end,
          .exit_code = 1,
          .rank = rank,
          .routine = routine == 0 ? std::string() : routine_name(routine, job_.routine_names),
          .in_routine = block.in_call.load() != 0};
}

Outcome Verdict::aborted(std::int32_t rank) const {
  Outcome outcome = about(End::Aborted, rank);
  const int code = memory_.block(rank).abort_code.load();
  outcome.exit_code = failure(code);
  outcome.text = error_text(rank);
  if (outcome.text.empty()) outcome.text = concat("rank ", rank, " called MPI_Abort with code ", code);
  return outcome;
}

Outcome Verdict::crashed(std::int32_t rank, int signal) const {
  Outcome outcome = about(End::Crashed, rank);
  outcome.signal = signal;
  outcome.exit_code = 128 + signal;
  outcome.text = concat("rank ", rank, " was killed by ", signal_name(signal), place(outcome), because(signal));
  return outcome;
}

Outcome Verdict::left_early(std::int32_t rank, int status) const {
  Outcome outcome = about(End::LeftEarly, rank);
  outcome.exit_code = failure(status);
  const bool initialised = phase_of(memory_.block(rank)) != RankPhase::Unborn;
  outcome.text = initialised
                     ? concat("rank ", rank, " ended with status ", status, " without MPI_Finalize,", place(outcome))
                     : concat("rank ", rank, " ended with status ", status, " without MPI_Init");
  return outcome;
}

Outcome Verdict::not_mpi(int status) const {
  const std::string ended =
      concat(job_.command.empty() ? "the program" : job_.command.front(), " ended with status ", status);
  const char* why = status != 0 ? " before it called MPI_Init"
                                : " without calling MPI_Init: it is no MPI program, or it uses an MPI library that "
                                  "Orrery does not stand in for";
  return {.end = End::NotMpi, .exit_code = status, .text = ended + why};
}

bool Verdict::someone_attached() const {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (phase_of(memory_.block(static_cast<int>(rank))) != RankPhase::Unborn) return true;
  }
  return false;
}

std::string Verdict::error_text(std::int32_t rank) const {
  constexpr std::size_t longest = 64 * 1024;
  const mpi::channel::Offset place = memory_.block(rank).error_text.load();
  if (place == 0 || place + longest > memory_.header().file_bytes) return {};
  const char* text = memory_.as<char>(place);
  return {text, strnlen(text, longest)};
}

}  // namespace orrery::launch
