// SPDX-License-Identifier: BSD-3-Clause
/// Stands for an MPI program in the launcher's tests: forks its ranks as MPI_Init does (or is one, with ORRERY_RANK)
/// and speaks to the kernel through the channel. Each argument is RANK:VERB or RANK:VERB=VALUE, RANK a number or "*"
/// for all, or "start" for what the program does before MPI_Init, or "template" for the process that would fork. A rank
/// does its verbs in order, then finalises and ends.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/process/template.hpp"

namespace {

using namespace orrery;
using namespace orrery::mpi::channel;

struct Verb {
  std::string who, name, value;
  [[nodiscard]] int number() const { return std::atoi(value.c_str()); }
};

Verb parse(std::string_view argument) {
  const std::size_t colon = argument.find(':');
  const std::string_view rest = argument.substr(colon + 1);
  const std::size_t equals = std::min(rest.find('='), rest.size());
  return {std::string(argument.substr(0, colon)), std::string(rest.substr(0, equals)),
          std::string(equals < rest.size() ? rest.substr(equals + 1) : "")};
}

struct Self {
  Memory& memory;
  int rank;
  RankEnd end{memory, rank};
  RankBlock& block = memory.block(rank);
  int status = 0;
  bool finalized = false;

  void set(RankPhase phase) { block.phase = static_cast<std::uint32_t>(phase); }

  void push(const op::Operation& operation) {
    end.push(operation);
    end.wake_kernel();
  }

  void sleep_until_answered(std::uint32_t replies_before) {
    while (end.replies() == replies_before) {
      const std::uint32_t seen = block.doorbell.prepare();
      if (end.replies() == replies_before) block.doorbell.sleep(seen, 10'000'000);
    }
    block.doorbell.stay_awake();
  }

  void finalize() {
    const std::uint32_t before = end.replies();
    set(RankPhase::Finalized);
    push({.kind = op::Kind::Finalize});
    sleep_until_answered(before);
    finalized = true;
  }
};

void say(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0) _exit(99);
    done += static_cast<std::size_t>(count);
  }
}

void leave_stray() {
  if (fork() != 0) return;
  setsid();
  for (;;) pause();
}

void start_child() {
  if (fork() != 0) return;
  for (;;) pause();
}

void spin_once() { asm volatile(""); }  // not to be left out, so the loop around it is no undefined behaviour

std::string kept;  // memory that stays in use

using Action = void (*)(Self&, const Verb&);

const std::map<std::string, Action> actions = {
    {"in", [](Self& self, const Verb& verb) { self.block.routine = verb.number(), self.block.in_call = 1; }},
    {"after", [](Self& self, const Verb& verb) { self.block.routine = verb.number(), self.block.in_call = 0; }},
    {"crash", [](Self&, const Verb& verb) { signal(verb.number(), SIG_DFL), raise(verb.number()); }},
    {"exit", [](Self&, const Verb& verb) { _exit(verb.number()); }},
    {"hang",
     [](Self&, const Verb&) {
       for (;;) pause();
     }},
    {"spin",
     [](Self&, const Verb&) {
       for (;;) spin_once();
     }},
    {"sleep_ms", [](Self&, const Verb& verb) { usleep(1000 * static_cast<unsigned>(verb.number())); }},
    {"touch_mb",
     [](Self&, const Verb& verb) { kept.assign(static_cast<std::size_t>(verb.number()) * 1'000'000, 'x'); }},
    {"say", [](Self&, const Verb& verb) { say(STDOUT_FILENO, verb.value + "\n"); }},
    {"murmur", [](Self&, const Verb& verb) { say(STDOUT_FILENO, verb.value); }},
    {"complain", [](Self&, const Verb& verb) { say(STDERR_FILENO, verb.value + "\n"); }},
    {"lines",
     [](Self& self, const Verb& verb) {
       for (int i = 0; i < verb.number(); ++i)
         say(STDOUT_FILENO, "rank " + std::to_string(self.rank) + " line " + std::to_string(i) + "\n");
     }},
    {"stray", [](Self&, const Verb&) { leave_stray(); }},
    {"child", [](Self&, const Verb&) { start_child(); }},
    {"finalize", [](Self& self, const Verb&) { self.finalize(); }},
    {"unsaid_finalize", [](Self& self, const Verb&) { self.set(RankPhase::Finalized), _exit(0); }},
    {"status", [](Self& self, const Verb& verb) { self.status = verb.number(); }},
    {"recv",
     [](Self& self, const Verb& verb) {
       self.block.routine = 1, self.block.in_call = 1;
       self.push({.kind = op::Kind::Irecv,
                  .flags = op::Blocking | op::FirstOfCall,
                  .routine = 1,
                  .peer = verb.number(),
                  .tag = 7,
                  .bytes = {8}});
     }},
    {"send",
     [](Self& self, const Verb& verb) {
       self.push({.kind = op::Kind::Isend,
                  .flags = op::Blocking | op::FirstOfCall,
                  .routine = 2,
                  .peer = verb.number(),
                  .tag = 7,
                  .bytes = {8}});
     }},
    {"alltoalls",
     [](Self& self, const Verb& verb) {
       for (int call = 0; call < verb.number(); ++call) {
         self.push({.kind = op::Kind::Collective,
                    .collective = op::CollectiveKind::Alltoall,
                    .flags = op::Blocking | op::FirstOfCall,
                    .routine = 1,
                    .tag = call,
                    .bytes = {1024}});
       }
     }},
    {"await_nothing",
     [](Self& self, const Verb&) {
       for (;;) self.block.doorbell.sleep(self.block.doorbell.prepare());
     }},
    {"abort",
     [](Self& self, const Verb& verb) {
       self.block.abort_code = verb.number();
       self.set(RankPhase::Aborted);
       _exit(1);
     }},
    {"fatal_error",
     [](Self& self, const Verb& verb) {
       const Offset text = self.memory.allocate(verb.value.size() + 1);
       std::strcpy(self.memory.as<char>(text), verb.value.c_str());
       self.block.error_text = text;
       self.block.abort_code = 15;
       self.set(RankPhase::Aborted);
       _exit(15);
     }},
};

/// With labels the launcher hands over the pipes of all ranks (mpi::env_label).
void take_labelled_output(int rank) {
  const char* label = std::getenv(mpi::env_label);
  if (label == nullptr) return;
  int first = 0, count = 0;
  if (std::sscanf(label, "%d:%d", &first, &count) != 2) _exit(98);
  dup2(first + 2 * rank, STDOUT_FILENO);
  dup2(first + 2 * rank + 1, STDERR_FILENO);
  for (int i = 0; i < 2 * count; ++i) close(first + i);
}

[[noreturn]] void be_rank(Memory& memory, int rank, const std::vector<Verb>& verbs) {
  Self self{.memory = memory, .rank = rank};
  self.block.pid = getpid();
  self.block.doorbell.mask = ~0U;
  self.set(RankPhase::Running);
  for (const Verb& verb : verbs) {
    if (verb.who == "*" || verb.who == std::to_string(rank)) actions.at(verb.name)(self, verb);
  }
  if (!self.finalized) self.finalize();
  _exit(self.status);
}

[[noreturn]] void be_template(Memory& memory, const std::vector<Verb>& verbs) {
  const int launcher = std::atoi(std::getenv(env_launcher));
  std::map<pid_t, std::int32_t> rank_of;
  for (std::uint32_t rank = 0; rank < memory.header().ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      take_labelled_output(static_cast<int>(rank));
      be_rank(memory, static_cast<int>(rank), verbs);
    }
    rank_of[pid] = static_cast<std::int32_t>(rank);
  }
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, 0)) > 0;) {
    const mpi::EndedRank record{rank_of.at(pid), status};
    send(launcher, &record, sizeof record, MSG_NOSIGNAL);
  }
  _exit(0);
}

/// Goes on as the first rank; the launcher is told what ranks would share.
[[noreturn]] void be_first(Memory& memory, const std::vector<Verb>& verbs, const std::string& shared) {
  mpi::EndedRank record{mpi::EndedRank::shares, 0};
  shared.copy(record.text, sizeof record.text - 1);
  send(std::atoi(std::getenv(env_launcher)), &record, sizeof record, MSG_NOSIGNAL);
  if (memory.header().may_start_afresh == 0) be_template(memory, verbs);
  take_labelled_output(0);
  be_rank(memory, 0, verbs);
}

[[noreturn]] void refuse_to_fork() {
  const mpi::EndedRank record{mpi::EndedRank::has_threads, 0};
  send(std::atoi(std::getenv(env_launcher)), &record, sizeof record, MSG_NOSIGNAL);
  _exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Verb> verbs;
  for (int i = 1; i < count; ++i) verbs.push_back(parse(arguments[i]));
  const char* rank = std::getenv(env_rank);
  for (const Verb& verb : verbs) {
    // "start3": only the process that is to be rank 3.
    const bool mine = verb.who == "start" || (rank != nullptr && verb.who == std::string("start") + rank);
    if (!mine) continue;
    if (verb.name == "exit") return verb.number();
    if (verb.name == "crash") raise(verb.number());
    if (verb.name == "say") say(STDOUT_FILENO, verb.value + "\n");
    if (verb.name == "hang") pause();
    if (verb.name == "sleep_ms") usleep(1000 * static_cast<unsigned>(verb.number()));
    if (verb.name == "threads") refuse_to_fork();
  }
  Memory memory = Memory::attach(std::atoi(std::getenv(env_memory)));
  if (rank != nullptr) be_rank(memory, std::atoi(rank), verbs);
  for (const Verb& verb : verbs) {
    if (verb.who == "template" && verb.name == "shares") be_first(memory, verbs, verb.value);
  }
  be_template(memory, verbs);
}
