// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "catch.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/process/template.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;

namespace {

/// What a child process left: its status and what it wrote to standard error.
struct Left {
  int wait_status = 0;
  std::string errors;
};

Left in_child(const std::function<void()>& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDERR_FILENO);
    body();
    _exit(77);
  }
  close(ends[1]);
  Left left;
  char text[1024];
  for (ssize_t n = 0; (n = read(ends[0], text, sizeof text)) > 0;)
    left.errors.append(text, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(pid, &left.wait_status, 0);
  return left;
}

int exit_status(int wait_status) { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1; }

/// A run of one rank without a kernel: `body` must not need one.
struct Alone {
  Alone() : memory(channel::Memory::create(1)) {}

  Left run(const std::function<void()>& body) {
    return in_child([&] {
      setenv(channel::env_memory, std::to_string(dup(memory.descriptor())).c_str(), 1);
      setenv(channel::env_rank, "0", 1);
      init(nullptr, nullptr);
      body();
    });
  }
  [[nodiscard]] channel::RankPhase phase() const {
    return static_cast<channel::RankPhase>(memory.block(0).phase.load());
  }
  [[nodiscard]] std::string error_text() const {
    const channel::Offset place = memory.block(0).error_text;
    return place == 0 ? "" : memory.as<char>(place);
  }

  channel::Memory memory;
};

}  // namespace

TEST_CASE("a program that orrery did not start is told how to start it") {
  const Left left = in_child([] {
    unsetenv(channel::env_memory);
    init(nullptr, nullptr);
  });
  CHECK(exit_status(left.wait_status) == 1);
  CHECK(left.errors.find("orrery run -n N PROGRAM") != std::string::npos);
}

TEST_CASE("a call outside of MPI_Init and MPI_Finalize ends the program with the reason") {
  const Left left = in_child([] { (void)this_rank(); });
  CHECK(exit_status(left.wait_status) == 1);
  CHECK(left.errors.find("before MPI_Init") != std::string::npos);
}

TEST_CASE("the number of ranks is known before MPI_Init") {
  const auto memory = channel::Memory::create(3);
  const Left left = in_child([&] {
    if (ranks_of_run()) _exit(1);  // nobody says so
    setenv(channel::env_memory, std::to_string(dup(memory.descriptor())).c_str(), 1);
    _exit(ranks_of_run() == 3 ? 0 : 2);
  });
  CHECK(exit_status(left.wait_status) == 0);
}

TEST_CASE("a fatal error names rank, routine and class, and leaves its text for the launcher") {
  Alone alone;
  const Left left = alone.run([] { fatal("MPI_Send", {err_rank, "dest is 7"}); });
  CHECK(exit_status(left.wait_status) == err_rank);
  CHECK(left.errors == "rank 0: MPI_Send: MPI_ERR_RANK: dest is 7\n");
  CHECK(alone.phase() == channel::RankPhase::Aborted);
  CHECK(alone.memory.block(0).abort_code == err_rank);
  CHECK(alone.error_text() == "rank 0: MPI_Send: MPI_ERR_RANK: dest is 7");
}

TEST_CASE("MPI_Abort leaves its code") {
  Alone alone;
  const Left left = alone.run([] { orrery::mpi::abort(comm_world(), 42); });
  CHECK(exit_status(left.wait_status) == 42);
  CHECK(alone.phase() == channel::RankPhase::Aborted);
  CHECK(alone.memory.block(0).abort_code == 42);
  CHECK(alone.memory.block(0).error_text == 0);
}

TEST_CASE("a routine that does not exist yet says its name and ends the run") {
  Alone alone;
  const Left left = alone.run([] { missing("MPI_Win_create"); });
  CHECK(exit_status(left.wait_status) == 1);
  CHECK(left.errors.find("orrery: MPI_Win_create is not implemented yet") != std::string::npos);
  CHECK(alone.phase() == channel::RankPhase::Aborted);
}

TEST_CASE("the environment of a rank says what MPI offers") {
  const RunRecord record = run(2, [](int rank) {
    bool flag = false;
    initialized(flag);
    expect(flag, "initialised");
    finalized(flag);
    expect(!flag, "not finalised");
    expect(error_of([] { init(nullptr, nullptr); }) == err_other, "twice");
    int provided = -1;
    query_thread(provided);
    expect(provided == thread_single, "level");
    is_thread_main(flag);
    expect(flag, "main thread");
    std::thread([&] { is_thread_main(flag); }).join();
    expect(!flag, "another thread");
    char name[256];
    int length = 0;
    get_processor_name(name, length);
    expect(std::strcmp(name, "node-0") == 0 && length == 6, "processor name");
    get_library_version(name, length);
    expect(std::strncmp(name, "Orrery", 6) == 0 && length == static_cast<int>(std::strlen(name)), "version");
    expect(this_rank().world_rank() == rank && this_rank().world_size() == 2, "rank and size");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("all levels of thread support are provided") {
  for (const int required : {thread_single, thread_funneled, thread_serialized, thread_multiple}) {
    Alone alone;  // a rank is one process
    const Left left = in_child([&] {
      setenv(channel::env_memory, std::to_string(dup(alone.memory.descriptor())).c_str(), 1);
      setenv(channel::env_rank, "0", 1);
      int provided = -1;
      init_thread(nullptr, nullptr, required, provided);
      _exit(provided == required ? 0 : 1);
    });
    CHECK(exit_status(left.wait_status) == 0);
  }
}

TEST_CASE("after MPI_Finalize the rank is marked, and clocks still work") {
  const RunRecord record = run(1, [](int) {
    {
      const Call call(2);
      finalize();
    }
    bool flag = false;
    finalized(flag);
    expect(flag, "finalised");
    expect(rank_if_running() == nullptr, "no rank");
    const double now_s = wtime();
    expect(wtime() >= now_s, "wtime");
    _exit(0);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("what a rank starts is not part of the run") {
  const RunRecord record = run(
      1,
      [](int) {
        expect(std::system("test -z \"$ORRERY_MEMORY_FD$ORRERY_RANK\"") == 0, "environment");
        const pid_t pid = fork();
        if (pid == 0) {
          timespec now{};
          clock_gettime(CLOCK_MONOTONIC, &now);  // would ask the kernel in the parent's name
          _exit(rank_if_running() == nullptr ? 0 : 1);
        }
        int status = 0;
        expect(waitpid(pid, &status, 0) == pid && status == 0, "child");
      },
      all_complete, [](channel::Memory& memory) { memory.header().simulated_clock = 1; });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}

namespace {

/// Starts a template whose ranks do `body` and end without MPI.
struct Template {
  Template(
      std::uint32_t ranks, const std::function<void(int)>& body, const std::function<void()>& before = [] {},
      bool may_start_afresh = false)
      : memory(channel::Memory::create(ranks)) {
    memory.header().may_start_afresh = may_start_afresh ? 1 : 0;
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    socket = ends[0];
    pid = fork();
    if (pid == 0) {
      close(ends[0]);
      before();
      body(template_main(memory, ends[1]));
      _exit(0);
    }
    close(ends[1]);
  }
  ~Template() { close(socket); }

  /// The records until the end of the template.
  std::map<std::int32_t, int> ended() {
    std::map<std::int32_t, int> by_rank;
    EndedRank record{};
    while (recv(socket, &record, sizeof record, 0) == sizeof record) {
      if (record.rank == EndedRank::shares) {
        shares = record.text;
      } else {
        by_rank[record.rank] = record.wait_status;
      }
    }
    waitpid(pid, &wait_status, 0);
    return by_rank;
  }

  channel::Memory memory;
  int socket = -1;
  pid_t pid = 0;
  int wait_status = -1;
  std::string shares;  ///< what it would share by forking
};

}  // namespace

TEST_CASE("the template forks the ranks and tells how each one ended") {
  Template forked(5, [](int rank) {
    if (rank == 3) {
      signal(SIGSEGV, SIG_DFL);
      raise(SIGSEGV);
    }
    _exit(10 + rank);
  });
  const auto ended = forked.ended();
  REQUIRE(ended.size() == 5);
  for (const int rank : {0, 1, 2, 4}) CHECK(exit_status(ended.at(rank)) == 10 + rank);
  CHECK(WIFSIGNALED(ended.at(3)));
  CHECK(WTERMSIG(ended.at(3)) == SIGSEGV);
  CHECK(forked.wait_status == 0);
}

TEST_CASE("a program that has started threads is not forked") {
  Template threaded(
      2, [](int) {}, [] { std::thread([] { pause(); }).detach(); });
  const auto ended = threaded.ended();
  REQUIRE(ended.size() == 1);
  CHECK(ended.begin()->first == EndedRank::has_threads);
  CHECK(exit_status(threaded.wait_status) == 1);
  CHECK(threaded.shares.find("started threads") != std::string::npos);
}

TEST_CASE("a program that has opened a file goes on as the first rank if the others can be started afresh") {
  Template opened(
      3, [](int rank) { _exit(40 + rank); }, [] { (void)!open("/proc/self/status", O_RDONLY); }, true);
  CHECK(opened.ended().empty());  // nobody was forked
  CHECK(exit_status(opened.wait_status) == 40);
  CHECK(opened.shares.find("opened ") != std::string::npos);
}

TEST_CASE("ranks write to their own pipes, and only the first one reads") {
  std::array<int, 2> output{};
  REQUIRE(pipe(output.data()) == 0);
  constexpr int first = 200;
  Template labelled(
      2,
      [](int rank) {
        char byte = 0;
        const bool at_end = read(STDIN_FILENO, &byte, 1) == 0;
        std::printf("rank %d %s\n", rank, rank == 0 || at_end ? "well" : "reads");
        _exit(fcntl(first, F_GETFD) == -1 && fcntl(first + 3, F_GETFD) == -1 ? 0 : 1);
      },
      [&] {
        for (int i = 0; i < 4; ++i) dup2(output[1], first + i);
        close(output[0]);
        close(output[1]);
        close(STDIN_FILENO);
        setenv(env_label, "200:2", 1);
      });
  close(output[1]);
  std::string text;
  char byte = 0;
  while (read(output[0], &byte, 1) == 1) text += byte;
  close(output[0]);
  const auto ended = labelled.ended();
  INFO(text);
  CHECK(ended.at(0) == 0);
  CHECK(ended.at(1) == 0);
  CHECK(text.find("rank 0 well\n") != std::string::npos);
  CHECK(text.find("rank 1 well\n") != std::string::npos);
}

TEST_CASE("ranks end with the template") {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Template forked(3, [](int) {
    for (;;) pause();
  });
  while (forked.memory.block(2).pid.load() == 0) usleep(100);
  usleep(20'000);
  kill(forked.pid, SIGKILL);
  CHECK(forked.ended().empty());
  // Orphans come to this process, which learns how each one ended.
  for (int rank = 0; rank < 3; ++rank) {
    int status = 0;
    const pid_t pid = forked.memory.block(rank).pid.load();
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WTERMSIG(status) == SIGKILL);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}
