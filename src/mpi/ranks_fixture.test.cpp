// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/ranks_fixture.test.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace orrery::mpi::testing {
namespace {

constexpr int longest_run_s = 30;

[[noreturn]] void be_rank(const channel::Memory& memory, int rank, const std::function<void(int)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGABRT, SIG_DFL);
  signal(SIGSEGV, SIG_DFL);
  alarm(longest_run_s);
  signal(SIGALRM, SIG_DFL);
  setenv(channel::env_memory, std::to_string(dup(memory.descriptor())).c_str(), 1);
  setenv(channel::env_rank, std::to_string(rank).c_str(), 1);
  try {
    {
      const Call call(1);
      init(nullptr, nullptr);
    }
    body(rank);
    const Call call(2);
    finalize();
  } catch (const Error& error) {
    expect(false, error.text);
  } catch (const std::exception& error) {
    expect(false, error.what());
  }
  _exit(0);
}

/// The kernel's side of a run: reads what comes, records and answers it.
class ScriptedKernel {
 public:
  ScriptedKernel(channel::Memory& memory, const Answers& answers, RunRecord& record)
      : end_(memory), answers_(answers), record_(record) {}

  void serve(int rank) {
    op::Operation operation;
    while (end_.next(WorldRank{rank}, operation) == op::Pull::Ready) {
      Sent sent{operation,
                {operation.requests.begin(), operation.requests.end()},
                {operation.counts.begin(), operation.counts.end()}};
      sent.operation.requests = {};
      sent.operation.counts = {};
      record_.sent[static_cast<std::size_t>(rank)].push_back(sent);
      // Accumulates arrive as soon as they are told.
      const bool ordered = operation.kind == op::Kind::Accumulate || operation.kind == op::Kind::GetAccumulate;
      if (ordered) end_.take_effect(WorldRank{rank}, operation.element);
      const bool apart = op::is_apart(operation);
      if (operation.kind == op::Kind::Sleep) answers_(rank, sent);  // takes time, though nobody waits for an answer
      if (!op::wants_reply(operation) && !apart) continue;
      op::Reply reply;
      if (operation.kind != op::Kind::Finalize) reply = answers_(rank, sent);
      if (apart) reply.thread = operation.request;
      end_.reply(WorldRank{rank}, reply);
    }
  }

 private:
  channel::KernelEnd end_;
  const Answers& answers_;
  RunRecord& record_;
};

}  // namespace

bool RunRecord::all_ended_well() const {
  return std::all_of(wait_status.begin(), wait_status.end(), [](int status) { return status == 0; });
}

std::vector<op::Kind> RunRecord::kinds(int rank) const {
  std::vector<op::Kind> kinds;
  for (const Sent& message : sent[static_cast<std::size_t>(rank)]) {
    if (message.operation.kind != op::Kind::Finalize) kinds.push_back(message.operation.kind);
  }
  return kinds;
}

op::Reply all_complete(int /*rank*/, const Sent& sent) {
  static constexpr std::array<std::uint32_t, 8> positions{0, 1, 2, 3, 4, 5, 6, 7};
  const bool single = sent.operation.kind == op::Kind::WaitAny || sent.operation.kind == op::Kind::TestAny;
  return {.flag = true, .completed = std::span(positions).first(single ? 1 : sent.requests.size())};
}

namespace {

channel::Memory make_memory(int ranks) {
  channel::Memory memory = channel::Memory::create(static_cast<std::uint32_t>(ranks));
  memory.header().buffered_limit = 64 * 1024;
  memory.header().compute_scale = 1;
  return memory;
}

RunRecord run_in(channel::Memory& memory, const std::function<void(int)>& body, const Answers& answers) {
  const auto ranks = static_cast<int>(memory.header().ranks);
  RunRecord record{std::vector<std::vector<Sent>>(static_cast<std::size_t>(ranks)), std::vector<int>(ranks, -1)};
  std::vector<pid_t> pids;
  std::fflush(nullptr);
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) be_rank(memory, rank, body);
    pids.push_back(pid);
  }
  ScriptedKernel kernel(memory, answers, record);
  for (int running = ranks; running > 0;) {
    usleep(20);
    for (std::size_t rank = 0; rank < pids.size(); ++rank) {
      int status = 0;
      const bool ended = pids[rank] != 0 && waitpid(pids[rank], &status, WNOHANG) == pids[rank];
      kernel.serve(static_cast<int>(rank));
      if (!ended) continue;
      record.wait_status[rank] = status;
      pids[rank] = 0;
      --running;
    }
  }
  return record;
}

}  // namespace

RunRecord run(int ranks, const std::function<void(int)>& body, const Answers& answers, const Settings& settings) {
  channel::Memory memory = make_memory(ranks);
  const std::vector<std::uint32_t> host_of_rank(static_cast<std::size_t>(ranks), 0);
  const std::vector<std::string> hosts{"node-0"};
  memory.set_hosts(hosts, host_of_rank);
  if (settings) settings(memory);
  return run_in(memory, body, answers);
}

RunRecord run_on(int ranks, std::span<const channel::Level> levels, const std::function<void(int)>& body) {
  channel::Memory memory = make_memory(ranks);
  std::vector<std::uint32_t> host_of_rank;
  std::vector<std::string> hosts;
  for (int rank = 0; rank < ranks; ++rank) {
    host_of_rank.push_back(static_cast<std::uint32_t>(rank));
    hosts.push_back("node-" + std::to_string(rank));
  }
  memory.set_hosts(hosts, host_of_rank);
  memory.set_levels(levels);
  return run_in(memory, body, all_complete);
}

void expect(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "in a rank: %s\n", what.c_str());
  _exit(1);
}

Datatype& predefined_type(std::uint32_t abi_value) { return *predefined_datatype(abi_value); }

Datatype& int_type() { return predefined_type(0x209); }

Datatype& byte_type() { return type_byte(); }

Op& sum_op() { return *predefined_op(0x21); }

int comparison(Comm& a, Comm& b) {
  int result = 0;
  comm_compare(a, b, result);
  return result;
}

void call_mpi() {
  const Call call(3);
  const int value = 1;
  send(&value, 1, int_type(), 0, 0, comm_world());
}

Comm* split(Comm& comm, int type, const char* key, const char* value) {
  Info* info = nullptr;
  info_create(info);
  if (key != nullptr) info_set(info, key, value);
  Comm* part = nullptr;
  comm_split_type(comm, type, 0, info, part);
  info_free(info);
  return part;
}

int error_of(const std::function<void()>& call, std::string* text) {
  try {
    call();
  } catch (const Error& error) {
    if (text != nullptr) *text = error.text;
    return error.error_class;
  }
  return 0;
}

}  // namespace orrery::mpi::testing
