// SPDX-License-Identifier: BSD-3-Clause
#include "launch/verdict.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "catch.hpp"

using namespace orrery::launch;
using namespace orrery::mpi::channel;

namespace {

constexpr int exited(int status) { return W_EXITCODE(status, 0); }
constexpr int killed(int signal) { return W_EXITCODE(0, signal); }

/// Three ranks in shared memory, and who judges them.
struct Ranks {
  Job job{.command = {"./program"}, .ranks = 3, .routine_names = {"application", "MPI_Recv", "MPI_Send"}};
  Memory memory = Memory::create(3);
  Verdict verdict{memory, job};

  explicit Ranks(RankPhase phase) {
    for (int rank = 0; rank < 3; ++rank) set(rank, phase);
  }
  void set(int rank, RankPhase phase) { memory.block(rank).phase = static_cast<std::uint32_t>(phase); }
};

}  // namespace

TEST_CASE("ranks that finalise and end with status 0 complete the run") {
  Ranks ranks(RankPhase::Finalized);
  for (int rank = 0; rank < 3; ++rank) CHECK_FALSE(ranks.verdict.rank_ended(rank, exited(0)));
  CHECK(ranks.verdict.all_ended());
  CHECK(ranks.verdict.at_end().end == End::Completed);
  CHECK(ranks.verdict.at_end().exit_code == 0);
}

TEST_CASE("of several exit statuses after MPI_Finalize that of the lowest rank counts") {
  Ranks ranks(RankPhase::Finalized);
  CHECK_FALSE(ranks.verdict.rank_ended(2, exited(5)));
  CHECK_FALSE(ranks.verdict.rank_ended(1, exited(4)));
  CHECK_FALSE(ranks.verdict.rank_ended(0, exited(0)));
  const Outcome outcome = ranks.verdict.at_end();
  CHECK(outcome.end == End::ExitStatus);
  CHECK(outcome.rank == 1);
  CHECK(outcome.exit_code == 4);
  CHECK(outcome.text == "rank 1 ended with status 4 after MPI_Finalize; 1 other failed, too");
}

TEST_CASE("a rank that has aborted ends the run, whatever the process does that was started for it") {
  Ranks ranks(RankPhase::Running);
  CHECK_FALSE(ranks.verdict.someone_aborted());
  ranks.memory.block(2).abort_code = 5;
  ranks.set(2, RankPhase::Aborted);
  ranks.memory.header().aborted = 3;
  const auto outcome = ranks.verdict.someone_aborted();
  REQUIRE(outcome.has_value());
  CHECK(outcome->end == End::Aborted);
  CHECK(outcome->rank == 2);
  CHECK(outcome->exit_code == 5);
}

TEST_CASE("a crash names rank, signal and where it was") {
  Ranks ranks(RankPhase::Running);
  ranks.memory.block(1).routine = 1;
  ranks.memory.block(1).in_call = 1;
  const auto outcome = ranks.verdict.rank_ended(1, killed(SIGSEGV));
  REQUIRE(outcome.has_value());
  CHECK(outcome->end == End::Crashed);
  CHECK(outcome->rank == 1);
  CHECK(outcome->signal == SIGSEGV);
  CHECK(outcome->exit_code == 128 + 11);  // what shells give for a signal
  CHECK(outcome->routine == "MPI_Recv");
  CHECK(outcome->in_routine);
  CHECK(outcome->text == "rank 1 was killed by SIGSEGV in MPI_Recv (it used memory that is not its own)");
}

TEST_CASE("a crash outside of MPI names the call before") {
  Ranks ranks(RankPhase::Running);
  ranks.memory.block(2).routine = 2;
  CHECK(ranks.verdict.rank_ended(2, killed(SIGTERM))->text == "rank 2 was killed by SIGTERM after MPI_Send");
  CHECK(ranks.verdict.rank_ended(0, killed(SIGTERM))->text == "rank 0 was killed by SIGTERM before its first MPI call");
}

TEST_CASE("a crash after MPI_Finalize is one") {
  Ranks ranks(RankPhase::Finalized);
  CHECK(ranks.verdict.rank_ended(0, killed(SIGABRT))->end == End::Crashed);
}

TEST_CASE("a rank that ends without MPI_Finalize has left early, and status 0 does not mean success") {
  Ranks ranks(RankPhase::Running);
  CHECK(ranks.verdict.rank_ended(0, exited(3))->exit_code == 3);
  const auto outcome = ranks.verdict.rank_ended(1, exited(0));
  CHECK(outcome->end == End::LeftEarly);
  CHECK(outcome->exit_code == 1);
}

TEST_CASE("MPI_Abort gives its code to the shell, and failure where the code would say success") {
  Ranks ranks(RankPhase::Aborted);
  ranks.memory.block(0).abort_code = 42;
  ranks.memory.block(1).abort_code = 256;  // its low 8 bits, which are all that a shell gets, are 0
  const auto outcome = ranks.verdict.rank_ended(0, killed(SIGABRT));
  CHECK(outcome->end == End::Aborted);
  CHECK(outcome->exit_code == 42);
  CHECK(outcome->text == "rank 0 called MPI_Abort with code 42");
  CHECK(ranks.verdict.rank_ended(1, exited(0))->exit_code == 1);
}

TEST_CASE("a fatal MPI error is told in its own words") {
  Ranks ranks(RankPhase::Aborted);
  const char* text = "MPI_Send: invalid rank 7";
  const Offset place = ranks.memory.allocate(std::strlen(text) + 1);
  std::strcpy(ranks.memory.as<char>(place), text);
  ranks.memory.block(2).error_text = place;
  ranks.memory.block(2).abort_code = 6;
  CHECK(ranks.verdict.rank_ended(2, exited(6))->text == text);
}

TEST_CASE("a program that never calls MPI_Init is no MPI program") {
  Ranks ranks(RankPhase::Unborn);
  const auto outcome = ranks.verdict.template_ended(exited(0));
  CHECK(outcome->end == End::NotMpi);
  CHECK(outcome->text.find("it is no MPI program") != std::string::npos);
}

TEST_CASE("a program that fails before MPI_Init may be an MPI program") {
  Ranks ranks(RankPhase::Unborn);
  const auto outcome = ranks.verdict.template_ended(exited(2));
  CHECK(outcome->end == End::NotMpi);
  CHECK(outcome->exit_code == 2);
  CHECK(outcome->text.find("ended with status 2 before it called MPI_Init") != std::string::npos);
}

TEST_CASE("ranks started afresh are no MPI program only when none of them calls MPI_Init") {
  Ranks ranks(RankPhase::Unborn);
  CHECK_FALSE(ranks.verdict.rank_ended(0, exited(0)));
  CHECK_FALSE(ranks.verdict.someone_missing());
  SECTION("none does") {
    CHECK_FALSE(ranks.verdict.rank_ended(1, exited(0)));
    CHECK(ranks.verdict.rank_ended(2, exited(0))->end == End::NotMpi);
  }
  SECTION("one does later") {
    ranks.set(1, RankPhase::Running);
    CHECK(ranks.verdict.someone_missing()->end == End::LeftEarly);
    CHECK(ranks.verdict.someone_missing()->rank == 0);
  }
}

TEST_CASE("a program that is killed before MPI_Init has crashed") {
  Ranks ranks(RankPhase::Unborn);
  const auto outcome = ranks.verdict.template_ended(killed(SIGFPE));
  CHECK(outcome->end == End::Crashed);
  CHECK(outcome->rank == -1);
  CHECK(outcome->exit_code == 128 + 8);
}

TEST_CASE("the end of the process that has forked the ranks counts by its status once they have ended") {
  Ranks ranks(RankPhase::Finalized);
  CHECK(ranks.verdict.template_ended(exited(0))->end == End::Crashed);  // they have not: it left them alone
  for (int rank = 0; rank < 3; ++rank) (void)ranks.verdict.rank_ended(rank, exited(0));
  CHECK_FALSE(ranks.verdict.template_ended(exited(0)));
  CHECK(ranks.verdict.template_ended(exited(3))->exit_code == 3);  // a shell that went on
  CHECK(ranks.verdict.template_ended(exited(3))->end == End::ExitStatus);
  CHECK(ranks.verdict.template_ended(killed(SIGTERM))->end == End::Crashed);
}

TEST_CASE("the status of a rank counts before that of a shell above the process that has forked it") {
  Ranks ranks(RankPhase::Finalized);
  for (int rank = 0; rank < 3; ++rank) (void)ranks.verdict.rank_ended(rank, exited(4));
  CHECK_FALSE(ranks.verdict.template_ended(exited(3)));
  CHECK(ranks.verdict.at_end().exit_code == 4);
}

TEST_CASE("what keeps the ranks from being forked is told with what helps") {
  Ranks ranks(RankPhase::Unborn);
  CHECK(ranks.verdict.threads_before_init().text.find("leave out --launch fork") != std::string::npos);
  CHECK(ranks.verdict.cannot_fork(EAGAIN).text.find("ulimit -u") != std::string::npos);
  CHECK(ranks.verdict.cannot_fork(EAGAIN).end == End::NotStarted);
}
