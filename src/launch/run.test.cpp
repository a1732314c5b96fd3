// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "catch.hpp"
#include "launch/run_fixture.test.hpp"

using namespace orrery::launch;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// All tests of an end by failure: it comes fast, and nobody is left.
Outcome run_and_check(StandIn& program) {
  const auto start = Clock::now();
  Outcome outcome = program.run();
  CHECK(seconds_since(start) < 1.5);  // a second from the event to the end, and some for the start
  CHECK(processes_left() == std::vector<std::string>{});
  return outcome;
}

Outcome run_and_check(std::uint32_t ranks, std::vector<std::string> arguments, Start start = Start::Fork) {
  Job job = StandIn::job(ranks, std::move(arguments));
  job.start = start;
  StandIn program(std::move(job));
  return run_and_check(program);
}

}  // namespace

TEST_CASE("ranks run, print, and end") {
  const Start start = GENERATE(Start::Fork, Start::Exec);
  Job job = StandIn::job(4, {"*:say=hello", "2:complain=hm"});
  job.start = start;
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::Completed);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.text.empty());
  CHECK(outcome.wall_s > 0);
  CHECK(program.printed ==
        std::map<StandIn::Key, std::string>{{{-1, false}, "hello\nhello\nhello\nhello\n"}, {{-1, true}, "hm\n"}});
}

TEST_CASE("a process that has something which ranks should not share becomes the first of them") {
  const bool label = GENERATE(false, true);
  Job job = StandIn::job(4, {"template:shares=opened a file", "*:say=hello", "2:status=5"});
  job.start = Start::Auto;
  job.label = label;
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::ExitStatus);
  CHECK(outcome.rank == 2);
  CHECK(outcome.afresh);
  CHECK(outcome.shared_by_fork == "opened a file");
  if (!label) CHECK(program.printed[{-1, false}] == "hello\nhello\nhello\nhello\n");
  for (int rank = 0; label && rank < 4; ++rank) CHECK(program.printed[{rank, false}] == "hello\n");
}

TEST_CASE("where that is asked for, it forks all the same, and the outcome says what ranks share") {
  const Outcome outcome = run_and_check(3, {"template:shares=opened a file", "*:say=hello"});
  CHECK(outcome.end == End::Completed);
  CHECK_FALSE(outcome.afresh);
  CHECK(outcome.shared_by_fork == "opened a file");
}

TEST_CASE("the first rank's crash is seen where the others were started after it") {
  Job job = StandIn::job(3, {"template:shares=opened a file", "0:crash=11", "*:recv=1"});
  job.start = Start::Auto;
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::Crashed);
  CHECK(outcome.rank == 0);
}

TEST_CASE("messages take simulated time") {
  StandIn program(2, {"0:send=1", "1:recv=0"});
  CHECK(run_and_check(program).end == End::Completed);
  // Two links of 1 µs, and 8 bytes at 1 GB/s.
  CHECK(program.live.simulation().now().s == Approx(2.008e-6));
}

TEST_CASE("the first exit status after MPI_Finalize is the run's") {
  const Outcome outcome = run_and_check(3, {"1:status=7"});
  CHECK(outcome.end == End::ExitStatus);
  CHECK(outcome.rank == 1);
  CHECK(outcome.exit_code == 7);
}

TEST_CASE("a rank that crashes ends the run") {
  const Start start = GENERATE(Start::Fork, Start::Exec);
  const Outcome outcome = run_and_check(4, {"2:in=1", "2:crash=11", "*:hang"}, start);
  CHECK(outcome.end == End::Crashed);
  CHECK(outcome.rank == 2);
  CHECK(outcome.signal == SIGSEGV);
  CHECK(outcome.exit_code == 139);
  CHECK(outcome.routine == "MPI_Recv");
  CHECK(outcome.in_routine);
}

TEST_CASE("a rank that crashes ends the run also while others compute or are stopped") {
  CHECK(run_and_check(3, {"0:crash=8", "1:spin", "2:crash=19"}).end == End::Crashed);
}

TEST_CASE("a rank that crashes ends the run also while the kernel is at work") {
  // 60 calls of 64² messages each: seconds of work.
  const Outcome outcome = run_and_check(64, {"*:alltoalls=60", "3:sleep_ms=300", "3:crash=11", "*:hang"});
  CHECK(outcome.end == End::Crashed);
  CHECK(outcome.rank == 3);
}

TEST_CASE("a rank that ends without MPI_Finalize ends the run") {
  const Start start = GENERATE(Start::Fork, Start::Exec);
  const Outcome outcome = run_and_check(3, {"1:after=2", "1:exit=0", "*:recv=1"}, start);
  CHECK(outcome.end == End::LeftEarly);
  CHECK(outcome.rank == 1);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.text == "rank 1 ended with status 0 without MPI_Finalize, after MPI_Send");
}

TEST_CASE("MPI_Abort ends the run with its code") {
  const Outcome outcome = run_and_check(3, {"1:abort=5", "*:hang"});
  CHECK(outcome.end == End::Aborted);
  CHECK(outcome.rank == 1);
  CHECK(outcome.exit_code == 5);
}

TEST_CASE("a fatal MPI error ends the run with its text") {
  const Outcome outcome = run_and_check(3, {"2:fatal_error=MPI_Send: tag -5 is negative", "*:hang"});
  CHECK(outcome.end == End::Aborted);
  CHECK(outcome.text == "MPI_Send: tag -5 is negative");
}

TEST_CASE("ranks that wait for each other are told as a deadlock") {
  const Outcome outcome = run_and_check(2, {"0:recv=1", "1:recv=0"});
  CHECK(outcome.end == End::Deadlocked);
  CHECK(outcome.exit_code == 1);
  REQUIRE(outcome.deadlock.has_value());
  CHECK(outcome.deadlock->cycle == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("ranks that wait for data that nobody sends end the run") {
  const Outcome outcome = run_and_check(3, {"*:in=1", "*:await_nothing"});
  CHECK(outcome.end == End::Deadlocked);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.text.find("ranks 0-2: MPI_Recv") != std::string::npos);
}

TEST_CASE("a rank that computes may yet send what others wait for") {
  CHECK(run_and_check(3, {"0:sleep_ms=1000", "0:abort=5", "*:await_nothing"}).end == End::Aborted);
}

TEST_CASE("what MPI does not allow ends the run with the kernel's words") {
  const Outcome outcome = run_and_check(2, {"*:send=1000"});
  CHECK(outcome.end == End::BadStream);
  CHECK_FALSE(outcome.text.empty());
}

TEST_CASE("a program that is not there or not a program is not started") {
  const Start start = GENERATE(Start::Fork, Start::Exec);
  Job job = StandIn::job(2, {});
  job.start = start;
  job.command = {"no-such-program-anywhere"};
  StandIn absent(job);
  const Outcome not_found = run_and_check(absent);
  CHECK(not_found.end == End::NotStarted);
  CHECK(not_found.exit_code == 127);
  job.command = {"/etc/passwd"};
  StandIn file(job);
  CHECK(run_and_check(file).exit_code == 126);
}

TEST_CASE("a program that cannot be loaded is not started, with labels too") {
  Job job = StandIn::job(3, {});
  job.label = GENERATE(true, false);
  char path[] = "/tmp/orrery-test-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(write(file,
                "\x7f"
                "ELF?",
                5) == 5);
  REQUIRE(fchmod(file, 0700) == 0);
  close(file);
  job.command = {path};
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::NotStarted);
  CHECK(outcome.exit_code == 126);
  CHECK(outcome.text.find(path) != std::string::npos);
  CHECK(program.printed.empty());
  unlink(path);
}

TEST_CASE("a program without MPI_Init is reported as such, after what it prints") {
  const Start start = GENERATE(Start::Fork, Start::Exec);
  Job job = StandIn::job(2, {"start:say=usage", "start:exit=4"});
  job.start = start;
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::NotMpi);
  CHECK(outcome.exit_code == 4);
  CHECK(program.printed[{-1, false}] == (start == Start::Fork ? "usage\n" : "usage\nusage\n"));
}

TEST_CASE("one rank that never calls MPI_Init while others did has left early") {
  const Outcome outcome = run_and_check(3, {"start1:exit=0", "start0:sleep_ms=100", "*:recv=1"}, Start::Exec);
  CHECK(outcome.end == End::LeftEarly);
  CHECK(outcome.rank == 1);
}

TEST_CASE("several programs run as ranks of one run, in their order, each with its number") {
  Job job = StandIn::job(3, {});
  job.label = true;
  job.start = Start::Exec;
  const std::vector<std::string> environment = job.environment;
  job.sections = {{{ORRERY_STAND_IN, "*:say=first"}, environment, {}, 2},
                  {{ORRERY_STAND_IN, "*:say=second", "2:status=5"}, environment, {}, 1}};
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::ExitStatus);  // rank 2 is of the second program, which has a status of its own
  CHECK(outcome.exit_code == 5);
  CHECK(program.printed[{0, false}] == "first\n");
  CHECK(program.printed[{1, false}] == "first\n");
  CHECK(program.printed[{2, false}] == "second\n");
}

TEST_CASE("of several programs none starts when one is not there") {
  Job job = StandIn::job(2, {});
  job.start = Start::Exec;
  job.sections = {{{ORRERY_STAND_IN, "start:say=started"}, job.environment, {}, 1},
                  {{"no-such-program-anywhere"}, job.environment, {}, 1}};
  StandIn program(std::move(job));
  const Outcome outcome = run_and_check(program);
  CHECK(outcome.end == End::NotStarted);
  CHECK(outcome.exit_code == 127);
  CHECK(program.printed.empty());
}

TEST_CASE("a program with threads before MPI_Init is not forked") {
  const Outcome outcome = run_and_check(2, {"start:threads"});
  CHECK(outcome.end == End::NotStarted);
  CHECK(outcome.text.find("leave out --launch fork") != std::string::npos);
}

TEST_CASE("a crash before MPI_Init is a crash") {
  const Outcome outcome = run_and_check(2, {"start:crash=6"});
  CHECK(outcome.end == End::Crashed);
  CHECK(outcome.exit_code == 134);
}

TEST_CASE("stop ends a run wherever it is") {
  const auto arguments =
      GENERATE(std::vector<std::string>{"*:hang"}, std::vector<std::string>{"*:spin"},
               std::vector<std::string>{"start:hang"}, std::vector<std::string>{"*:finalize", "*:hang"});
  const Start start = GENERATE(Start::Fork, Start::Exec);
  Job job = StandIn::job(3, arguments);
  job.start = start;
  StandIn program(std::move(job));
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    program.live.stop();
  });
  const Outcome outcome = run_and_check(program);
  user.join();
  CHECK(outcome.end == End::Interrupted);
  CHECK(outcome.exit_code == 130);
}

TEST_CASE("stop before the start ends the run at once") {
  StandIn program(2, {"*:hang"});
  program.live.stop();
  CHECK(run_and_check(program).end == End::Interrupted);
}

TEST_CASE("what ranks have started does not outlive the run") {
  const Start start = GENERATE(Start::Fork, Start::Exec);
  CHECK(run_and_check(2, {"*:stray", "*:child"}, start).end == End::Completed);
  CHECK(run_and_check(2, {"*:stray", "*:child", "1:sleep_ms=50", "1:crash=11", "*:hang"}, start).end == End::Crashed);
}

TEST_CASE("what was printed before a crash is delivered") {
  Job job = StandIn::job(2, {"0:lines=500", "0:murmur=last words", "0:crash=6", "*:hang"});
  job.label = true;
  StandIn program(std::move(job));
  CHECK(run_and_check(program).end == End::Crashed);
  const std::string text = program.printed[{0, false}];
  CHECK(text.starts_with("rank 0 line 0\n"));
  CHECK(text.ends_with("rank 0 line 499\nlast words"));
}

TEST_CASE("ranks that end inside MPI_Finalize do not keep the kernel waiting") {
  StandIn program(2, {"1:unsaid_finalize", "0:unsaid_finalize"});
  CHECK(program.run().end == End::LeftEarly);
  CHECK(processes_left() == std::vector<std::string>{});
}

TEST_CASE("a consumer of output that fails ends the run, and its exception is the caller's") {
  StandIn program(2, {"0:say=hello", "*:hang"});
  CHECK_THROWS_WITH(program.live.run([](std::int32_t, bool, std::string_view) { throw std::runtime_error("closed"); }),
                    "closed");
  CHECK(processes_left() == std::vector<std::string>{});
}

TEST_CASE("two runs of one process do not disturb each other") {
  StandIn failing(2, {"*:stray", "1:sleep_ms=50", "1:crash=11", "*:hang"});
  StandIn longer(2, {"*:sleep_ms=300", "*:say=done"});
  Outcome outcome;
  std::thread other([&] { outcome = longer.run(); });
  CHECK(failing.run().end == End::Crashed);
  other.join();
  CHECK(outcome.end == End::Completed);
  CHECK(longer.printed[{-1, false}] == "done\ndone\n");
  CHECK(processes_left() == std::vector<std::string>{});
}

TEST_CASE("memory use is that of the ranks while they run") {
  StandIn program(3, {"*:touch_mb=20", "*:sleep_ms=1500"});
  const double megabytes = static_cast<double>(program.run().peak_rss_bytes) * 1e-6;
  CHECK(megabytes > 60);  // each rank writes to 20 MB of its own
  // The address sanitizer itself takes tens of MB.
#ifndef __SANITIZE_ADDRESS__
  CHECK(megabytes < 70);  // and shares program, libraries and stacks of about 4 MB with the template
#endif
}

TEST_CASE("a run is run once") {
  StandIn program(1, {});
  CHECK(program.run().end == End::Completed);
  CHECK_THROWS_AS(program.run(), std::logic_error);
}
