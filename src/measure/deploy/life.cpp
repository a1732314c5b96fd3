// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/error.hpp"
#include "next.hpp"
#include "session.hpp"

namespace orrery::deploy {
namespace {

std::unique_ptr<Session> running;

/// The text of the settings, which rank 0 reads.
std::string shared_text(const char* path) {
  int self = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &self);
  std::string text;
  long long length = -1;
  if (self == 0) {
    std::ifstream file(path);
    if (!file) give_up(concat("rank 0 cannot read ", path, ", which ORRERY_DEPLOY names: it has to be visible there"));
    text.assign(std::istreambuf_iterator<char>(file), {});
    length = static_cast<long long>(text.size());
  }
  const auto bcast = ORRERY_NEXT(Bcast);
  bcast(&length, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

/// Files that have routines of MPI as we do, in front of us or behind: tools. The library itself is none.
std::set<std::string> other_tools() {
  const auto file_of = [](const void* symbol) {
    Dl_info info{};
    return symbol != nullptr && dladdr(symbol, &info) != 0 ? std::string(info.dli_fname) : std::string();
  };
  const std::string library = file_of(next_symbol("PMPI_Send"));
  const std::string own = file_of(reinterpret_cast<const void*>(&begin));
  std::set<std::string> found;
  for (const char* routine : {"MPI_Send", "MPI_Bcast", "MPI_Init"})
    for (const std::string& file : {file_of(dlsym(RTLD_DEFAULT, routine)), file_of(dlsym(RTLD_NEXT, routine))})
      if (!file.empty() && file != library && file != own) found.insert(file);
  return found;
}

int forget(MPI_Comm /*comm*/, int /*keyval*/, void* member, void* /*extra*/) {
  const Inside inside;
  delete static_cast<Member*>(member);
  return MPI_SUCCESS;
}

/// Whether any rank has several threads that may call: all leave everything to the library then.
bool any_multiple(int threads) {
  int most = 0;
  ORRERY_NEXT(Allreduce)(&threads, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return most == MPI_THREAD_MULTIPLE;
}

bool is_rank_0() {
  int self = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &self);
  return self == 0;
}

/// Whether another program spawned this one: the report is about that.
bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

/// Lines of the report that rank 0 knows at the beginning. That there is a report says that we were there.
void write_first_lines(const Session& begun) {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  std::ofstream report(begun.settings.report);
  report << "ranks " << size << "\n";
  if (begun.idle) report << "multiple\n";
  for (const std::string& file : other_tools()) report << "tool " << file << "\n";
  for (const std::string& host : begun.world.unknown_hosts) report << "unknown " << host << "\n";
  report.close();
  if (!report) give_up(concat("rank 0 cannot write ", begun.settings.report, ": it has to be visible there"));
}

}  // namespace

void* next_symbol(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  std::fprintf(stderr, "orrery deploy: there is no %s: the program uses another MPI, or is linked statically\n", name);
  std::abort();
}

void give_up(const std::string& why) {
  std::fprintf(stderr, "orrery deploy: %s\n", why.c_str());
  std::fflush(stderr);
  // MPICH's launcher may lose what a rank writes before MPI_Abort. A report that is not visible here is not made.
  if (running != nullptr && !running->settings.report.empty())
    std::fstream(running->settings.report, std::ios::in | std::ios::out | std::ios::ate)
        << "ended " << why << std::endl;
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

Session* session() { return running.get(); }

void begin(int threads) {
  const char* path = std::getenv("ORRERY_DEPLOY");
  if (path == nullptr || running != nullptr) return;
  try {
    running = std::make_unique<Session>(parse_settings(shared_text(path)));
  } catch (const InputError& error) {
    give_up(concat(path, ": ", error.what()));
  }
  running->world = World::gathered(running->settings);
  running->idle = any_multiple(threads);
  if (is_spawned()) running->settings.report.clear();
  if (is_rank_0() && !running->settings.report.empty()) write_first_lines(*running);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &running->keyval, nullptr);
  ORRERY_NEXT(Comm_split)(MPI_COMM_SELF, 0, 0, &running->alone);
  made(MPI_COMM_WORLD);
}

void made(MPI_Comm comm) {
  if (running == nullptr || running->idle || comm == MPI_COMM_NULL) return;
  std::unique_ptr<Member> member = Member::of(comm, running->settings, running->world);
  if (member != nullptr) PMPI_Comm_set_attr(comm, running->keyval, member.release());
}

void end() {
  if (running == nullptr) return;
  const std::string calls = running->tally.of_all();
  if (running->member(MPI_COMM_WORLD) != nullptr) PMPI_Comm_delete_attr(MPI_COMM_WORLD, running->keyval);
  PMPI_Comm_free_keyval(&running->keyval);
  PMPI_Comm_free(&running->alone);
  if (is_rank_0() && !running->settings.report.empty())
    std::ofstream(running->settings.report, std::ios::app) << calls << "finalized\n";
  running.reset();
}

}  // namespace orrery::deploy
